import type { Crd } from "#lib/domain/definition/crd.ts";

/** Actions behind buttons, grouped by the rights they need. */
export const guardedActions = ["dry-run", "rewrite", "prune", "change-spec", "clean", "control"] as const;
export type GuardedAction = (typeof guardedActions)[number];

/** A verb on a resource, as in RBAC: https://kubernetes.io/docs/reference/access-authn-authz/authorization/#request-verbs */
export interface Right {
  verb: "list" | "get" | "patch" | "watch" | "create" | "delete";
  group: string;
  resource: string;
  subresource?: string;
  name?: string;
}

export interface NeededRight extends Right {
  /** Completes "You may not patch x" for people. */
  why: string;
}

type Definition = Pick<Crd, "name" | "group" | "plural">;

/** The rights that an action needs, in the order it uses them. */
export function neededRights({ name, group, plural }: Definition, action: GuardedAction): NeededRight[] {
  const objects = { group, resource: plural };
  const definition = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name };
  const find: NeededRight = { verb: "list", ...objects, why: "to find the objects" };
  const see: NeededRight = { verb: "get", ...objects, why: "to see what would be lost" };
  const read: NeededRight = { verb: "get", ...definition, why: "to read the definition" };
  const record: NeededRight = { verb: "patch", ...definition, why: "to keep the rewrite's record" };
  switch (action) {
    case "dry-run":
      return [read, find, see, { verb: "patch", ...objects, why: "to dry-run the rewrite" }];
    case "rewrite":
      return [read, find, { verb: "patch", ...objects, why: "to rewrite them" }, see, record];
    case "prune":
      return [
        read,
        { ...record, why: "to record what is pruned" },
        { verb: "patch", ...definition, subresource: "status", why: "to prune" },
      ];
    case "change-spec":
      return [read, { ...record, why: "to change its versions" }];
    case "clean":
      return [read, find, see, { verb: "patch", ...objects, why: "to move the entries" }];
    case "control":
      return [read, { ...record, why: "to control another user's rewrite" }];
    default:
      return action satisfies never;
  }
}

/** A right as kubectl and RBAC write it: `patch customresourcedefinitions.apiextensions.k8s.io/status`. */
export function rightWords({ verb, group, resource, subresource }: Right): string {
  return `${verb} ${resource}.${group}${subresource ? `/${subresource}` : ""}`;
}

/** The kubectl command that checks a right. kubectl takes the subresource as a separate flag. */
export function canIcommand(kubectl: string, { verb, group, resource, subresource, name }: Right): string {
  const target = `${resource}.${group}${name ? `/${name}` : ""}`;
  return [`${kubectl} auth can-i`, verb, target, subresource && `--subresource=${subresource}`].filter(Boolean).join(" ");
}

/** YAML of a ClusterRole that grants exactly these rights. */
export function clusterRoleYaml(roleName: string, rights: readonly Right[]): string {
  const rules = rights.map(({ verb, group, resource, subresource, name }) =>
    [
      `  - apiGroups: ["${group}"]`,
      `    resources: ["${resource}${subresource ? `/${subresource}` : ""}"]`,
      ...(name ? [`    resourceNames: ["${name}"]`] : []),
      `    verbs: ["${verb}"]`,
    ].join("\n"),
  );
  return ["apiVersion: rbac.authorization.k8s.io/v1", "kind: ClusterRole", "metadata:", `  name: ${roleName}`, "rules:", ...rules].join(
    "\n",
  );
}
