import { z } from "zod";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { requestJson } from "#lib/cluster/transport/request.ts";
import { type Crd, versionNames } from "#lib/domain/definition/crd.ts";
import { asksForDryRun } from "./asks-for-dry-run.ts";

/** A rule of a webhook, or of a policy; only a policy's may name objects. */
const ruleSchema = z.object({
  apiGroups: z.array(z.string()).default([]),
  apiVersions: z.array(z.string()).default([]),
  operations: z.array(z.string()).default([]),
  resources: z.array(z.string()).default([]),
  resourceNames: z.array(z.string()).default([]),
  scope: z.string().default("*"),
});
type Rule = z.infer<typeof ruleSchema>;

export interface Rules {
  matchPolicy: string;
  rules: readonly Rule[];
  excludeRules?: readonly Rule[];
}

type Updated = Pick<Crd, "group" | "plural" | "scope"> & { versions: readonly { name: string }[] };

/**
 * Whether a webhook or policy with these rules may be called for an update of a definition's objects at a version, not through `/status`.
 * Selectors, conditions and names only narrow that: what may match, matches, and an exclusion counts only if it excludes every object.
 * Sources: apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go, pkg/admission/plugin/policy/matching/matching.go.
 */
export function matchesUpdates({ matchPolicy, rules, excludeRules = [] }: Rules, crd: Updated, version: string): boolean {
  // apiextensions-apiserver registers every version of a definition as an equivalent of the others.
  const versions = matchPolicy === "Exact" ? new Set([version]) : versionNames(crd);
  const excludesAll = (rule: Rule) => rule.resourceNames.length === 0 && matches(rule, crd, new Set([version]));
  return rules.some((rule) => matches(rule, crd, versions)) && !excludeRules.some(excludesAll);
}

function matches(rule: Rule, { group, plural, scope }: Updated, versions: ReadonlySet<string>): boolean {
  const has = (values: readonly string[], value: string) => values.includes("*") || values.includes(value);
  return (
    has(rule.operations, "UPDATE") &&
    has(rule.apiGroups, group) &&
    rule.apiVersions.some((version) => version === "*" || versions.has(version)) &&
    rule.resources.some((resource) => matchesResource(resource, plural)) &&
    (rule.scope === "*" || rule.scope === scope)
  );
}

// "widgets/*" is the resource and all its subresources; "*" no subresource.
function matchesResource(resource: string, plural: string): boolean {
  const [name = "", subresource = ""] = resource.split("/", 2);
  return (name === "*" || name === plural) && (subresource === "*" || subresource === "");
}

/** Whether it may change an object, or only refuse one. */
type Role = "mutating" | "validating";

/** A webhook or policy that the API server calls for updates to a definition's objects. */
export interface Admission {
  kind: `${Role} ${"webhook" | "policy"}`;
  name: string;
  failurePolicy: string;
  /** For webhooks: None and NoneOnDryRun accept dry runs, others don't. Null for policies, which have none. */
  sideEffects: string | null;
  /** Whether it applies only to some objects or namespaces. */
  selective: boolean;
  /** Another one after an edit of it or, for policies, of a binding. */
  revision: string;
  /** For policies: what their bindings do on a violation; empty without a binding, since the policy is then not in force. */
  actions: string[];
  /** Whether its conditions or expressions ask for `request.dryRun`, so that a dry run doesn't show what it does to a write. */
  asksForDryRun: boolean;
}

/** Whose updates are asked about: those of a definition's objects at a version. */
export interface AdmissionRequest {
  connection: Connection;
  crd: Crd;
  version: string;
  signal: AbortSignal;
}

const ADMISSION = "/apis/admissionregistration.k8s.io";

const selector = z.looseObject({}).optional();
const revised = { uid: z.string().default(""), generation: z.int().default(0) };
const revisionOf = (...all: { metadata: { uid: string; generation: number } }[]) =>
  all.map(({ metadata: { uid, generation } }) => `${uid} ${generation}`).join();

const webhooksSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object(revised),
      webhooks: z
        .array(
          z.object({
            name: z.string(),
            failurePolicy: z.string().default("Fail"),
            sideEffects: z.string().default("Unknown"),
            matchPolicy: z.string().default("Equivalent"),
            namespaceSelector: selector,
            objectSelector: selector,
            matchConditions: z.array(z.unknown()).default([]),
            rules: z.array(ruleSchema).default([]),
          }),
        )
        .default([]),
    }),
  ),
});

const policiesSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), ...revised }),
      spec: z.looseObject({
        failurePolicy: z.string().default("Fail"),
        matchConditions: z.array(z.unknown()).default([]),
        matchConstraints: z
          .object({
            matchPolicy: z.string().default("Equivalent"),
            namespaceSelector: selector,
            objectSelector: selector,
            resourceRules: z.array(ruleSchema).default([]),
            excludeResourceRules: z.array(ruleSchema).default([]),
          })
          .optional(),
      }),
    }),
  ),
});

const bindingsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object(revised),
      spec: z.object({ policyName: z.string(), validationActions: z.array(z.string()).default([]) }),
    }),
  ),
});

/** The webhooks of one role that match updates to a definition's objects. */
export async function readWebhooks({ connection, crd, version, role, signal }: AdmissionRequest & { role: Role }): Promise<Admission[]> {
  const { items } = webhooksSchema.parse(await list(connection, `${role}webhookconfigurations`, signal));
  return items
    .flatMap(({ webhooks, ...configuration }) => webhooks.map((webhook) => ({ ...webhook, revision: revisionOf(configuration) })))
    .filter((webhook) => matchesUpdates(webhook, crd, version))
    .map(({ name, failurePolicy, sideEffects, revision, ...webhook }) => ({
      ...{ kind: `${role} webhook`, name, failurePolicy, sideEffects, revision, actions: [] },
      selective: isSelective(webhook),
      asksForDryRun: asksForDryRun(webhook.matchConditions),
    }));
}

/** The admission policies of one role that match updates to a definition's objects; none if the API server doesn't serve that kind. */
export async function readPolicies({ connection, crd, version, role, signal }: AdmissionRequest & { role: Role }): Promise<Admission[]> {
  const { items } = policiesSchema.parse(await list(connection, `${role}admissionpolicies`, signal));
  const policies = items.filter(({ spec: { matchConstraints: matching } }) => {
    const { matchPolicy = "", resourceRules = [], excludeResourceRules = [] } = matching ?? {};
    return matchesUpdates({ matchPolicy, rules: resourceRules, excludeRules: excludeResourceRules }, crd, version);
  });
  if (policies.length === 0) return [];
  const bound = bindingsSchema.parse(await list(connection, `${role}admissionpolicybindings`, signal)).items;
  return policies.map(({ metadata, spec }) => {
    const { name } = metadata;
    const { resourceRules = [], excludeResourceRules = [], ...matching } = spec.matchConstraints ?? {};
    const own = bound.filter((binding) => binding.spec.policyName === name);
    const actions = own.flatMap(({ spec: { validationActions } }) => (role === "mutating" ? ["Mutate"] : validationActions));
    const names = [...resourceRules, ...excludeResourceRules].some(({ resourceNames }) => resourceNames.length > 0);
    const selective = isSelective(matching) || spec.matchConditions.length > 0 || names;
    return {
      kind: `${role} policy`,
      name,
      failurePolicy: spec.failurePolicy,
      sideEffects: null,
      selective,
      revision: revisionOf({ metadata }, ...own),
      actions: [...new Set(actions)],
      asksForDryRun: asksForDryRun(spec),
    };
  });
}

async function list(connection: Connection, plural: string, signal: AbortSignal): Promise<unknown> {
  // A kind of policy is served as v1alpha1 and v1beta1 before v1, and before that not at all.
  for (const version of ["v1", "v1beta1", "v1alpha1"]) {
    try {
      return (await requestJson(connection, { path: `${ADMISSION}/${version}/${plural}`, signal })).json;
    } catch (error) {
      if (clusterAnswer(error)?.status !== 404) throw error;
    }
  }
  return { items: [] };
}

function isSelective(matching: {
  namespaceSelector?: object | undefined;
  objectSelector?: object | undefined;
  matchConditions?: unknown[];
}): boolean {
  const selects = (selector: object | undefined) => selector !== undefined && Object.keys(selector).length > 0;
  return selects(matching.namespaceSelector) || selects(matching.objectSelector) || (matching.matchConditions?.length ?? 0) > 0;
}
