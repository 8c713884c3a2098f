import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

/** The definitions, and their status, as a rule names them. */
export const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions", "customresourcedefinitions/status"] };

/** The rules that let somebody rewrite the objects of a definition. */
export function mayRewrite({ group, plural }: Pick<SampleDefinition, "group" | "plural">): object[] {
  return [
    { ...crds, verbs: ["get", "list", "watch", "patch"] },
    { apiGroups: [group], resources: [plural], verbs: ["get", "list", "patch"] },
  ];
}
