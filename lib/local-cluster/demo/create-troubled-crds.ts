import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd/put-into-etcd.ts";
import { readEtcd } from "#lib/local-cluster/etcd/read-etcd.ts";
import { crdsPath, createDemoCrd } from "./create-demo-crd.ts";
import { crdName, type DemoCrd, demoCrdManifest } from "./demo-crd.ts";
import { edgeRouters, nodeProfiles, siteMaps, slackTopics, smsTemplates } from "./troubled-crds.ts";

interface Options {
  client: ApiClient;
  /** http://127.0.0.1:port */
  etcd: string;
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

async function changeStored(crd: DemoCrd, etcd: string, change: (crd: StoredCrd) => StoredCrd): Promise<void> {
  const key = `/registry/apiextensions.k8s.io/customresourcedefinitions/${crdName(crd)}`;
  const [entry] = await readEtcd(etcd, key);
  if (!entry) throw new Error(`etcd has no ${key}, which was created a moment ago`);
  // What the API server has written there itself.
  const stored = JSON.parse(Buffer.from(entry.value).toString("utf8")) as StoredCrd;
  await putIntoEtcd(etcd, key, JSON.stringify(change(stored)));
}
