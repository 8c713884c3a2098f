import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import type { PatchStep } from "#lib/domain/versions/patch-step.ts";

/** What the API server says of an edit that changes only descriptions in the schemas. */
export type EditVerdict =
  | { verdict: "accepted" }
  /** `isBudget`: a cause is the cost of validation rules in CEL. */
  | { verdict: "refused"; isBudget: boolean; message: string; causes: EditCause[] }
  | { verdict: "not-tried"; because: string };

export interface EditCause {
  /** The version whose entry it is in; null where it is not in one, as for a schema that all versions share. */
  version: string | null;
  /** As the API server names it, such as `spec.versions[0].schema.openAPIV3Schema`. */
  field: string;
  message: string;
}

const EDITED = "Edited.";

/**
 * The steps that change only the description of each version's schema, or why there are none to try. Validation leaves the cost of a rule
 * alone only while all of its version's schema is unchanged, and the cost of all rules never.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, findVersionsWithUnchangedSchemas, at v0.34.4 to v0.37.2.
 */
export function editSteps(definition: ExactJson): PatchStep[] | { notTried: string } {
  if (exactProperty(exactProperty(definition, "metadata"), "deletionTimestamp") !== undefined) {
    return { notTried: "The definition is being deleted." };
  }
  const spec = exactProperty(definition, "spec");
  if (exactProperty(spec, "preserveUnknownFields") === true) {
    return { notTried: "The definition has preserveUnknownFields: true, so it predates structural schemas." };
  }
  const versions = exactProperty(spec, "versions");
  const steps: PatchStep[] = [];
  for (const [index, version] of Array.isArray(versions) ? versions.entries() : []) {
    const schema = exactProperty(exactProperty(version, "schema"), "openAPIV3Schema");
    if (schema === undefined) return { notTried: `${String(exactProperty(version, "name"))} has no schema.` };
    const description = exactProperty(schema, "description");
    const value = typeof description === "string" ? `${description} ${EDITED}` : EDITED;
    steps.push({ op: "add", path: `/spec/versions/${index}/schema/openAPIV3Schema/description`, value });
  }
  return steps;
}

/** The words for a rule, a messageExpression, all rules of a schema, and each rule that adds to those. Source: validation.go as above. */
const OVER_BUDGET = /\bestimated (rule|messageExpression) cost\b.* exceed(s budget|ing cost limit)\b/;

/** A refusal by the API server; `versions` are the names in the order of the edited spec. */
export function editRefusal(
  { message, fields }: { message: string; fields: readonly { field: string; message: string }[] },
  versions: readonly string[],
): EditVerdict & { verdict: "refused" } {
  const causes = fields.map((cause) => ({ version: versionOf(cause.field, versions), field: cause.field, message: cause.message }));
  return { verdict: "refused", isBudget: causes.some((cause) => OVER_BUDGET.test(cause.message)), message, causes };
}

// The API server validates a schema that all versions have as spec.validation, and so also that of the only version.
function versionOf(field: string, versions: readonly string[]): string | null {
  const index = /^spec\.versions\[(\d+)\]/.exec(field)?.[1];
  if (index !== undefined) return versions[Number(index)] ?? null;
  return field.startsWith("spec.validation") && versions.length === 1 ? (versions[0] ?? null) : null;
}

/** The verdict for people. */
export function editVerdictWords(result: EditVerdict): string {
  switch (result.verdict) {
    case "accepted":
      return "The API server would accept an edit of the schema.";
    case "refused":
      return result.isBudget
        ? "The API server would refuse an edit of the schema: its CEL rules exceed the cost budget."
        : "The API server would refuse an edit of the schema.";
    case "not-tried":
      return "Not tried.";
    default:
      return result satisfies never;
  }
}

/** A cause for people: `v1: Forbidden: estimated rule cost exceeds budget …`. */
export function editCauseWords({ version, field, message }: EditCause): string {
  const subject = version ?? (field.startsWith("spec.validation") ? "every version" : field);
  return `${subject}: ${message}`;
}
