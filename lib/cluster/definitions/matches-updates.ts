import { z } from "zod";
import type { Crd } from "#lib/domain/definition/crd.ts";

/** A rule of a webhook, or of a policy; only a policy's may name objects. */
export const ruleSchema = z.object({
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
  const versions = matchPolicy === "Exact" ? [version] : crd.versions.map(({ name }) => name);
  const excludesAll = (rule: Rule) => rule.resourceNames.length === 0 && matches(rule, crd, [version]);
  return rules.some((rule) => matches(rule, crd, versions)) && !excludeRules.some(excludesAll);
}

function matches(rule: Rule, { group, plural, scope }: Updated, versions: readonly string[]): boolean {
  const has = (values: readonly string[], value: string) => values.includes("*") || values.includes(value);
  return (
    has(rule.operations, "UPDATE") &&
    has(rule.apiGroups, group) &&
    versions.some((version) => has(rule.apiVersions, version)) &&
    rule.resources.some((resource) => matchesResource(resource, plural)) &&
    (rule.scope === "*" || rule.scope === scope)
  );
}

// "widgets/*" is the resource and all its subresources; "*" no subresource.
function matchesResource(resource: string, plural: string): boolean {
  const [name = "", subresource = ""] = resource.split("/", 2);
  return (name === "*" || name === plural) && (subresource === "*" || subresource === "");
}
