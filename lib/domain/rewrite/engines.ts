/** Who rewrites the objects of a run: crdshift, or an engine that it delegates to and verifies afterwards. */
export const runEngines = ["crdshift", "in-tree"] as const;
export type RunEngine = (typeof runEngines)[number];

/** Engines beside crdshift. Each is driven by StorageVersionMigrations in an API group. */
export const migrationEngines = ["in-tree", "openshift"] as const;
export type MigrationEngine = (typeof migrationEngines)[number];

/** The engine that crdshift can delegate a run to: the one in kube-controller-manager. */
export const DELEGATE = "in-tree" satisfies RunEngine & MigrationEngine;

/** The API group of each engine's StorageVersionMigrations, and the versions that crdshift supports, newest first. */
export const migrationApiOf: Record<MigrationEngine, { group: string; versions: readonly string[] }> = {
  // Not v1alpha1, which also names the resource's version and resumes from continue tokens; the engine dropped it in 1.35.
  "in-tree": { group: "storagemigration.k8s.io", versions: ["v1", "v1beta1"] },
  openshift: { group: "migration.k8s.io", versions: ["v1alpha1"] },
};

/** Whether an engine other than crdshift patches the objects. */
export function delegates(engine: RunEngine | undefined): engine is typeof DELEGATE {
  return engine === DELEGATE;
}
