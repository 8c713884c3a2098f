/** The verbs of the commands that crdshift's sentences suggest. */
const SUGGESTED = /\bkubectl (?=(?:annotate|auth|create|delete|get|patch) )/g;

/**
 * crdshift's own sentences with their commands for one cluster: `kubectl` is the call with its options, such as `kubectl --context prod`.
 * Pasted without them, a command changes whatever cluster is current. Not for text from the cluster, which must stay as it is.
 */
export function withKubectl(text: string, kubectl: string): string {
  return text.replaceAll(SUGGESTED, () => `${kubectl} `);
}
