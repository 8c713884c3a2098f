import type { Run } from "#lib/contract/rewrite/run.ts";
import type { MigrationEngine } from "#lib/domain/rewrite/migration.ts";

/** How an engine beside crdshift is written, and the API group of its StorageVersionMigrations. */
export const engineWords: Record<MigrationEngine, { name: string; group: string }> = {
  "in-tree": { name: "the cluster's own", group: "storagemigration.k8s.io" },
  openshift: { name: "OpenShift's", group: "migration.k8s.io" },
};

/** How the engine of a run is written. */
export const runEngineWords: Record<Run["engine"], string> = {
  crdshift: "crdshift",
  "in-tree": "the cluster's own (StorageVersionMigration)",
};
