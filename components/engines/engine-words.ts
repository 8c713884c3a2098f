import type { CrdSummary } from "#lib/contract/definition/crd.ts";
import type { MigrationApi } from "#lib/contract/rewrite/migration.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { delegationRefusal } from "#lib/domain/rewrite/delegation-refusal.ts";
import { DELEGATE, type MigrationEngine, migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { DELETE_OLD_MIGRATIONS } from "#lib/domain/rewrite/unread-engines.ts";

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

/** Why an engine can't be used as far as is known, or null if it can. */
export function unservedWords(engine: MigrationEngine, api: MigrationApi): string | null {
  const { group } = migrationApiOf[engine];
  switch (api.status) {
    case "served":
    case "incomplete":
      return null;
    case "not-served":
      return `This cluster doesn't serve ${group}.`;
    case "denied":
      return `You don't have access to ${group}: ${api.message}`;
    case "failed":
      return `Couldn't determine whether the cluster serves ${group}: ${api.message}`;
    default:
      return api satisfies never;
  }
}

/** Why the cluster's own engine can't rewrite a definition's objects, or null if it can. */
export function undelegatedWords(
  api: MigrationApi,
  crd: Pick<CrdSummary, "preferredVersion" | "storageVersion" | "conversion">,
  { acceptUnseen }: { acceptUnseen: boolean },
): string | null {
  const { preferredVersion: preferred, storageVersion: storage, conversion } = crd;
  return unservedWords(DELEGATE, api) ?? delegationRefusal({ preferred, storage, conversion, unseen: acceptUnseen })?.message ?? null;
}

/** That an engine's migrations couldn't be listed, or not all of them. */
export function unlistedTitle(engine: MigrationEngine, { status }: MigrationApi): string {
  return `${status === "incomplete" ? "Listed in part:" : "Couldn't list"} ${migrationApiOf[engine].group}`;
}

/** What to do if an engine's migrations can't be listed, or not all of them, or null if there is nothing to do. */
export function unservedNextStep(engine: MigrationEngine, api: MigrationApi): string | null {
  const { group } = migrationApiOf[engine];
  switch (api.status) {
    case "denied":
      return `Ask for a role with the verbs get, list, create and delete on storageversionmigrations in ${group}.`;
    case "incomplete":
      return DELETE_OLD_MIGRATIONS;
    case "failed":
      return "crdshift retries automatically.";
    case "not-served":
      if (engine !== DELEGATE) return null;
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
