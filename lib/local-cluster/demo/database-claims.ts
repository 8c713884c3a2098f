import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { boolean, integer, object, oneOf, string } from "./schemas.ts";

const common = { engine: oneOf("postgres", "mysql"), version: string, storageGiB: integer };

/** A rewrite of these loses fields: v1 has no place for legacyBackupWindow and tuning, and nothing converts them. */
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
      spec: { ...common, legacyBackupWindow: string, tuning: object({ maxConnections: integer, sharedBuffersMiB: integer }) },
      columns: ["engine", "version"],
    },
    { name: "v1", storage: true, spec: { ...common, highAvailability: boolean }, columns: ["engine", "version", "storageGiB"] },
  ],
  createdAs: "v1alpha1",
  fieldManager: "helm",
  objects: namespacedObjects(48, "orders-db", (index) => ({
    engine: pick(["postgres", "postgres", "mysql"], index),
    version: pick(["17", "16", "8.4"], index),
    storageGiB: 20 * (1 + (index % 5)),
    ...(index % 2 === 0 && { legacyBackupWindow: `0${index % 6}:30-0${(index % 6) + 1}:30` }),
    ...(index % 4 === 0 && { tuning: { maxConnections: 200 + index, sharedBuffersMiB: 512 } }),
  })),
};
