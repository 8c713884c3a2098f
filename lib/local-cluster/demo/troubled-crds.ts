import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { type Etcd, putIntoEtcd, readEtcd } from "#lib/local-cluster/etcd.ts";
import { crdsPath, createDemoCrd } from "./create-demo-crd.ts";
import { clusterObjects, crdName, type DemoCrd, demoCrdManifest, integer, namespacedObjects, pick, string, strings } from "./demo-crd.ts";

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

/** KubernetesAPIApprovalPolicyConformant is False: the group is the Kubernetes project's, and the annotation says that it is unapproved. */
export const nodeProfiles: DemoCrd = {
  group: "tuning.k8s.io",
  kind: "NodeProfile",
  plural: "nodeprofiles",
  scope: "Cluster",
  annotations: { "api-approved.kubernetes.io": "unapproved, an experiment of this cluster only" },
  versions: [{ name: "v1alpha1", storage: true, spec: { governor: string, hugePages: integer }, columns: ["governor"] }],
  objects: clusterObjects(3, "profile", (index) => ({ governor: pick(["performance", "powersave"], index), hugePages: 64 * index })),
};

/** NonStructuralSchema is True, once createTroubledCrds has made it one that keeps fields which its schema doesn't know. */
export const siteMaps: DemoCrd = {
  group: "publishing.example.com",
  kind: "SiteMap",
  plural: "sitemaps",
  scope: "Namespaced",
  versions: [{ name: "v1", storage: true, spec: { host: string, pages: strings }, columns: ["host"] }],
  objects: namespacedObjects(4, "site", (index) => ({ host: `site-${index}.example.com`, pages: ["/", "/about"] })),
};

interface Options {
  client: ApiClient;
  etcd: Etcd;
  signal: AbortSignal;
}

/** Makes the CRDs whose conditions tell of trouble. The API server writes those moments later, which nothing here waits for. */
export async function createTroubledCrds(options: Options): Promise<void> {
  await Promise.all([colliding(options), terminating(options), nonStructural(options), createDemoCrd(nodeProfiles, options)]);
}

/** One that is served has its names. The other isn't and won't be, so it isn't waited for. */
async function colliding(options: Options): Promise<void> {
  await createDemoCrd(smsTemplates, options);
  await options.client.create(crdsPath, demoCrdManifest(slackTopics, "v1"));
}

async function terminating(options: Options): Promise<void> {
  await createDemoCrd(edgeRouters, options);
  await options.client.delete(`${crdsPath}/${crdName(edgeRouters)}`);
}

/**
 * Such definitions come from times before apiextensions.k8s.io/v1, which takes no new one. The API server keeps what is there
 * as v1beta1 still, where the field was true by default: pkg/controlplane/apiserver/apiextensions.go of Kubernetes 1.36.
 */
async function nonStructural(options: Options): Promise<void> {
  await createDemoCrd(siteMaps, options);
  await changeStored(siteMaps, options.etcd, (crd) => ({ ...crd, spec: { ...crd.spec, preserveUnknownFields: true } }));
}

interface StoredCrd {
  spec: Record<string, unknown>;
}

async function changeStored(crd: DemoCrd, etcd: Etcd, change: (crd: StoredCrd) => StoredCrd): Promise<void> {
  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${crdName(crd)}`;
  const [entry] = await readEtcd(etcd, key);
  if (!entry) throw new Error(`etcd has no ${key}, which was created a moment ago`);
  // What the API server has written there itself.
  const stored = JSON.parse(Buffer.from(entry.value).toString("utf8")) as StoredCrd;
  await putIntoEtcd(etcd, key, JSON.stringify(change(stored)));
}
