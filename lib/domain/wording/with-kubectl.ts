/** The verbs of the commands that crdshift's sentences suggest. */
const SUGGESTED = /\bkubectl (?=(?:annotate|auth|config|create|delete|get|patch) )/g;

/**
 * Text with its commands for one cluster: `kubectl` is the call with its options, such as `kubectl --context prod`. Pasted without them, a
 * command changes whatever cluster is current. A sentence may quote the cluster: a command of a webhook's is meant for the same cluster.
 */
export function withKubectl(text: string, kubectl: string): string {
  return text.replaceAll(SUGGESTED, () => `${kubectl} `);
}
