import { type DemoCrd, namespacedObjects, pick } from "./demo-crd.ts";
import { boolean, integer, object, oneOf, string } from "./schemas.ts";

const common = { engine: oneOf("postgres", "mysql"), version: string, storageGiB: integer };
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
        ...common,
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
        ...common,
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
