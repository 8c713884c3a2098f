const RESOURCES = "ns|customresourcedefinition|crd|lease|apiservice|storageversionmigrations|mutatingwebhookconfigurations";
/** What crdshift's own sentences suggest. */
const SUGGESTED = new RegExp(`\\bkubectl (?=(?:annotate|delete|get|patch) (?:${RESOURCES})\\b|auth can-i |config )`, "g");

/**
 * Text with its commands for one cluster: `kubectl` is the call with its options, such as `kubectl --context prod`. Pasted without them, a
 * command changes whatever cluster is current. A sentence may quote the cluster, whose words stay as they are unless they read like these.
 */
export function withKubectl(text: string, kubectl: string): string {
  return text.replaceAll(SUGGESTED, () => `${kubectl} `);
}
