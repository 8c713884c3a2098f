import { setTimeout as sleep } from "node:timers/promises";
import { forEachConcurrently } from "#lib/async/for-each-concurrently.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { crdsPath, customObject, defineCrd, objectsPath } from "./create-demo-crd.ts";
import { crdName, type DemoCrd, type DemoObject, demoCrdManifest, namespacedObjects, pick, string, strings } from "./demo-crd.ts";

const spec = { subject: string, role: string, clusters: strings, reviewedBy: string };

/**
 * Their managedFields name v1alpha1, a version that is gone: every server-side apply fails, and up to Kubernetes 1.36 a rewrite empties
 * them. createAccessGrants takes them there.
 */
export const accessGrants: DemoCrd = {
  group: "identity.example.com",
  kind: "AccessGrant",
  plural: "accessgrants",
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", spec },
    { name: "v1beta1", spec, columns: ["subject", "role"] },
    { name: "v1", storage: true, spec, columns: ["subject", "role", "reviewedBy"] },
  ],
  createdAs: "v1alpha1",
  objects: namespacedObjects(24, "grant", (index) => ({
    subject: `${pick(["alex", "kim", "sasha", "robin"], index)}@example.com`,
    role: pick(["viewer", "editor"], index),
    clusters: [`cluster-${index % 5}`],
  })),
};

/** What each field manager applies, in order. */
export const accessGrantAppliers: { fieldManager: string; objects: DemoObject[] }[] = [
  { fieldManager: "platform-operator", objects: accessGrants.objects },
  {
    fieldManager: "access-reviewer",
    objects: accessGrants.objects
      .filter((_, index) => index % 3 === 0)
      .map((grant) => ({ ...grant, spec: { reviewedBy: "security@example.com" } })),
  },
];

const concurrency = 4;
const pollMs = 100;
const storedTimeoutMs = 60_000;

interface Options {
  client: ApiClient;
  signal: AbortSignal;
}

/**
 * Makes the access grants and takes them through two upgrades: applied at v1alpha1, rewritten at v1beta1, v1alpha1 pruned
 * and removed, and then v1 made the storage version. A rewrite keeps the versions that managedFields name, so they still
 * name v1alpha1.
 */
export async function createAccessGrants(options: Options): Promise<void> {
  const { client, signal } = options;
  const crdPath = `${crdsPath}/${crdName(accessGrants)}`;
  const { versions } = demoCrdManifest(accessGrants, "v1").spec;

  await defineCrd(accessGrants, "v1alpha1", options);
  for (const { fieldManager, objects } of accessGrantAppliers) {
    await forEachConcurrently(objects, { concurrency, signal }, async (object) => {
      const path = `${objectPath("v1alpha1", object)}?fieldManager=${fieldManager}`;
      await client.request("PATCH", path, customObject(accessGrants, "v1alpha1", object), "application/apply-patch+yaml");
    });
  }

  await client.mergePatch(crdPath, { spec: { versions: demoCrdManifest(accessGrants, "v1beta1").spec.versions } });
  await forEachConcurrently(accessGrants.objects, { concurrency, signal }, (object) => storeAgain(object, options));
  await client.mergePatch(crdPath, { status: { storedVersions: ["v1beta1"] } }, { subresource: "status" });
  await client.mergePatch(crdPath, { spec: { versions: versions.filter((version) => version.name !== "v1alpha1") } });
}

/**
 * Sends empty patches until one changes the object's resourceVersion: that one has stored it at the new storage version.
 * For a moment after the change of the CRD, the API server goes on storing at the old one.
 */
async function storeAgain(object: DemoObject, { client, signal }: Options): Promise<void> {
  const path = objectPath("v1beta1", object);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(storedTimeoutMs)]);
  const { resourceVersion } = (await client.get(path)).metadata;
  while ((await client.mergePatch(path, {})).metadata.resourceVersion === resourceVersion) {
    await sleep(pollMs, undefined, { signal: deadline });
  }
}

function objectPath(version: string, { name, namespace }: DemoObject): string {
  return `${objectsPath(accessGrants, version, namespace)}/${name}`;
}
