/** One step into an object: a key, or any index of a list. */
export type PathStep = { key: string } | "index";

/**
 * A path as people write it: `spec.containers[*].image`, `metadata.annotations["example.com/team"]`. Indexes are folded;
 * keys that are not plain words are quoted.
 */
export function formatFieldPath(steps: readonly PathStep[]): string {
  return steps
    .map((step, index) => {
      if (step === "index") return "[*]";
      if (!/^[A-Za-z_$][\w$-]*$/.test(step.key)) return `[${JSON.stringify(step.key)}]`;
      return index === 0 ? step.key : `.${step.key}`;
    })
    .join("");
}
