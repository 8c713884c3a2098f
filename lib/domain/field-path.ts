/** One step into an object: a key, any index of a list, or any key of a map. */
export type PathStep = { key: string } | "index" | "any-key";

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted, and `.*` is any key.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps
    .map((step, index) => {
      if (step === "index") return "[*]";
      if (step === "any-key") return index === 0 ? "*" : ".*";
      if (!/^[A-Za-z_$][\w$-]*$/.test(step.key)) return `[${JSON.stringify(step.key)}]`;
      return index === 0 ? step.key : `.${step.key}`;
    })
    .join("");
}
