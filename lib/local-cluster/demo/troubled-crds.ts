import type { DemoCrd } from "./demo-crd.ts";
import { clusterObjects, namespacedObjects, pick } from "./demo-objects.ts";
import { integer, string, strings } from "./schemas.ts";

/** Deprecated, and no other version is there that its warning could name. */
export const smsTemplates: DemoCrd = {
  group: "notifications.example.com",
  kind: "SmsTemplate",
  plural: "smstemplates",
  shortNames: ["st"],
  scope: "Namespaced",
  versions: [{ name: "v1beta1", storage: true, deprecated: true, spec: { text: string, language: string }, columns: ["language"] }],
  objects: namespacedObjects(9, "template", (index) => ({
    text: pick(["Your order has been sent.", "Your code is on its way."], index),
    language: pick(["en", "de", "ja"], index),
  })),
};

/** NamesAccepted is False: the short name is that of the SMS templates. It is never served, so it has no objects. */
export const slackTopics: DemoCrd = {
  group: smsTemplates.group,
  kind: "SlackTopic",
  plural: "slacktopics",
  shortNames: ["st"],
  scope: "Namespaced",
  versions: [{ name: "v1", storage: true, spec: { channel: string } }],
  objects: [],
};

/** Terminating: deleted, and two of its objects have a finalizer that nothing removes. */
export const edgeRouters: DemoCrd = {
  group: "networking.example.com",
  kind: "EdgeRouter",
  plural: "edgerouters",
  scope: "Namespaced",
  versions: [{ name: "v1", storage: true, spec: { address: string, site: string }, columns: ["address", "site"] }],
  fieldManager: "edge-operator",
  objects: namespacedObjects(6, "router", (index) => ({
    address: `192.0.2.${10 + index}`,
    site: pick(["north", "south"], index),
  })).map((router, index) => (index < 2 ? { ...router, finalizers: ["edge.example.com/release-address"] } : router)),
};

/** KubernetesAPIApprovalPolicyConformant is False: its group belongs to the Kubernetes project, and its annotation says that it is unapproved. */
export const nodeProfiles: DemoCrd = {
  group: "tuning.k8s.io",
  kind: "NodeProfile",
  plural: "nodeprofiles",
  scope: "Cluster",
  annotations: { "api-approved.kubernetes.io": "unapproved, an experiment of this cluster only" },
  versions: [{ name: "v1alpha1", storage: true, spec: { governor: string, hugePages: integer }, columns: ["governor"] }],
  objects: clusterObjects(3, "profile", (index) => ({ governor: pick(["performance", "powersave"], index), hugePages: 64 * index })),
};

/** NonStructuralSchema is True, once create-troubled-crds.ts has made it one that keeps fields which its schema doesn't know. */
export const siteMaps: DemoCrd = {
  group: "publishing.example.com",
  kind: "SiteMap",
  plural: "sitemaps",
  scope: "Namespaced",
  versions: [{ name: "v1", storage: true, spec: { host: string, pages: strings }, columns: ["host"] }],
  objects: namespacedObjects(4, "site", (index) => ({ host: `site-${index}.example.com`, pages: ["/", "/about"] })),
};
