import type { MigrationApi } from "#lib/contract/rewrite/migration.ts";
import type { MigrationEngine } from "#lib/domain/rewrite/migration.ts";
import { engineWords } from "./engine-words.ts";

/** Why a cluster can't be asked for an engine's migrations, in a sentence; null where it can. */
export function unservedWords(engine: MigrationEngine, api: MigrationApi): string | null {
  const { group } = engineWords[engine];
  switch (api.status) {
    case "served":
      return null;
    case "not-served":
      return `This cluster does not serve ${group}.`;
    case "denied":
      return `The cluster does not let you see ${group}: ${api.message}`;
    case "failed":
      return `The cluster could not tell whether it serves ${group}: ${api.message}`;
    default:
      return api satisfies never;
  }
}

/** What to do where a cluster can't be asked for an engine's migrations; null where nothing is to be done. */
export function unservedNextStep(engine: MigrationEngine, api: MigrationApi): string | null {
  const { group } = engineWords[engine];
  switch (api.status) {
    case "denied":
      return `Ask for a role with the verbs get, list, create and delete on storageversionmigrations in ${group}.`;
    case "failed":
      return "It is asked again by itself.";
    case "not-served":
      if (engine !== "in-tree") return null;
      return (
        "Kubernetes 1.35 and 1.36 serve it with --feature-gates=StorageVersionMigrator=true on kube-apiserver and kube-controller-manager, and " +
        `--runtime-config=${group}/v1beta1=true on kube-apiserver.`
      );
    case "served":
      return null;
    default:
      return api satisfies never;
  }
}
