import type { Run } from "#lib/contract/rewrite/run.ts";
import type { MigrationEngine } from "#lib/domain/rewrite/engines.ts";

/** The label of each other engine. */
export const engineWords: Record<MigrationEngine, { name: string }> = {
  "in-tree": { name: "the cluster's own" },
  openshift: { name: "OpenShift's" },
};

/** The labels of a run's engine. */
export const runEngineWords: Record<Run["engine"], string> = {
  crdshift: "crdshift",
  "in-tree": "the cluster's own (StorageVersionMigration)",
};
