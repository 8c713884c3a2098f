import { boolean, type DemoCrd, integer, namespacedObjects, object, oneOf, pick, string } from "./demo-crd.ts";

const claimSpec = { engine: oneOf("postgres", "mysql"), version: string, storageGiB: integer };
const tuning = { maxConnections: integer };
const backup = { schedule: string };
const replica = { zone: string };
const lossyEvery = 3;

/**
 * A rewrite of a third of these loses fields, each inside of something that stays: v1 has no place for
 * tuning.sharedBuffersMiB, backup.legacyWindow and a replica's legacyZone, and nothing converts them.
 */
export const databaseClaims: DemoCrd = {
  group: "platform.example.com",
  kind: "DatabaseClaim",
  plural: "databaseclaims",
  shortNames: ["dbc"],
  scope: "Namespaced",
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "database-operator", "meta.helm.sh/release-namespace": "platform-system" },
  versions: [
    {
      name: "v1alpha1",
      spec: {
        ...claimSpec,
        tuning: object({ ...tuning, sharedBuffersMiB: integer }),
        backup: object({ ...backup, legacyWindow: string }),
        replicas: { type: "array", items: object({ ...replica, legacyZone: string }) },
      },
      columns: ["engine", "version"],
    },
    {
      name: "v1",
      storage: true,
      spec: {
        ...claimSpec,
        tuning: object(tuning),
        backup: object(backup),
        replicas: { type: "array", items: object(replica) },
        highAvailability: boolean,
      },
      columns: ["engine", "version", "storageGiB"],
    },
  ],
  createdAs: "v1alpha1",
  fieldManager: "helm",
  objects: namespacedObjects(48, "orders-db", (index) => {
    const old = oldFields(index);
    return {
      engine: pick(["postgres", "postgres", "mysql"], index),
      version: pick(["17", "16", "8.4"], index),
      storageGiB: 20 * (1 + (index % 5)),
      tuning: { maxConnections: 200 + index, ...(old.tuning && { sharedBuffersMiB: 512 }) },
      backup: { schedule: `30 ${index % 6} * * *`, ...(old.backup && { legacyWindow: `0${index % 6}:30-0${(index % 6) + 1}:30` }) },
      replicas: [{ zone: "a" }, { zone: "b", ...(old.replicas && { legacyZone: "rack-7" }) }],
    };
  }),
};

type OldFields = { tuning?: true; backup?: true; replicas?: true };

/** Which of the fields that v1 doesn't have a claim uses: none, or one or two of them. */
function oldFields(index: number): OldFields {
  if (index % lossyEvery > 0) return {};
  return pick<OldFields>([{ tuning: true, backup: true }, { backup: true }, { tuning: true }, { replicas: true }], index / lossyEvery);
}

const bucketSpec = { sizeGiB: integer, versioned: boolean };
const closedRegion = "dc-north";
const minimumGiB = 5;

/**
 * v1 has validation rules that some of these violate as they are. The rule on region compares with oldSelf, so the API
 * server applies it to an unchanged value too and refuses six objects; the rule on the whole object refuses five more.
 * The API server applies both rules to updates of the status subresource too, so that is no way round them.
 */
export const objectBuckets: DemoCrd = {
  group: "storage.example.com",
  kind: "ObjectBucket",
  plural: "objectbuckets",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...bucketSpec, region: string }, columns: ["region", "sizeGiB"] },
    {
      name: "v1",
      storage: true,
      spec: {
        ...bucketSpec,
        region: {
          type: "string",
          "x-kubernetes-validations": [
            {
              rule: `oldSelf == self && self != '${closedRegion}'`,
              message: `a bucket stays in its region, and ${closedRegion} is closed`,
            },
          ],
        },
      },
      status: { usedGiB: integer },
      rules: [{ rule: `self.spec.sizeGiB >= ${minimumGiB}`, message: `a bucket has at least ${minimumGiB} GiB` }],
      columns: ["region", "sizeGiB"],
    },
  ],
  createdAs: "v1beta1",
  fieldManager: "bucket-operator",
  objects: namespacedObjects(40, "bucket", (index) => ({
    region: index % 7 === 3 ? closedRegion : pick(["dc-south", "dc-west"], index),
    sizeGiB: index % 8 === 5 ? 2 : 10 * (1 + (index % 6)),
    versioned: index % 2 === 0,
  })),
};
