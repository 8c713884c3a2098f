import { setTimeout as sleep } from "node:timers/promises";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import { type ApiClient, ApiError, type KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { type Conversion, crdName, type DemoCrd, type DemoObject, demoCrdManifest } from "./demo-crd.ts";

export const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const concurrency = 16;
const pollMs = 50;
const servedTimeoutMs = 30_000;

interface Options {
  client: ApiClient;
  signal: AbortSignal;
}

/**
 * Creates a CRD and its objects. Where the storage version has changed since, so it does here: the objects are created
 * under the old one, then the CRD's storage version is changed, which makes the old one a leftover.
 */
export async function createDemoCrd(crd: DemoCrd, options: Options & { conversion?: Conversion }): Promise<void> {
  const { client, signal } = options;
  const storage = crd.versions.find((version) => version.storage)?.name ?? "";
  const version = crd.createdAs ?? storage;
  await defineCrd(crd, version, options);
  await forEachConcurrently(crd.objects, { concurrency, signal }, async (object) => {
    const path = `${objectsPath(crd, version, object.namespace)}?fieldManager=${crd.fieldManager ?? "kubectl-create"}`;
    await client.create(path, customObject(crd, version, object));
  });
  if (version !== storage) {
    const { versions } = demoCrdManifest(crd, storage).spec;
    await client.mergePatch(`${crdsPath}/${crdName(crd)}`, { spec: { versions } });
  }
}

/** Creates a CRD with `storage` as its storage version, and returns once that is served. */
export async function defineCrd(crd: DemoCrd, storage: string, options: Options & { conversion?: Conversion }): Promise<void> {
  await options.client.create(crdsPath, demoCrdManifest(crd, storage, options.conversion));
  await waitUntilServed(`${objectsPath(crd, storage)}?limit=1`, options);
}

/** Where the API server has the objects of a CRD, of one namespace if it is given. */
export function objectsPath(crd: DemoCrd, version: string, namespace?: string): string {
  const inNamespace = namespace ? `/namespaces/${namespace}` : "";
  return `/apis/${crd.group}/${version}${inNamespace}/${crd.plural}`;
}

/** An object of a CRD, as it is sent. */
export function customObject(crd: DemoCrd, version: string, object: DemoObject): KubernetesObject {
  const { name, namespace, labels, finalizers, spec } = object;
  const metadata = { name, ...(namespace && { namespace }), ...(labels && { labels }), ...(finalizers && { finalizers }) };
  return { apiVersion: `${crd.group}/${version}`, kind: crd.kind, metadata, spec };
}

async function waitUntilServed(path: string, { client, signal }: Options): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(servedTimeoutMs)]);
  while (!(await isServed(path, client))) await sleep(pollMs, undefined, { signal: deadline });
}

async function isServed(path: string, client: ApiClient): Promise<boolean> {
  try {
    await client.list(path);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
