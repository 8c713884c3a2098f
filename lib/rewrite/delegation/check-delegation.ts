import type { Connection } from "#lib/cluster/connection/connection.ts";
import { notServedHere, readMigrationApi, wasServedLately } from "#lib/cluster/migrations/migration-apis.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { type Crd, preferredVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { delegationRefusal } from "#lib/domain/rewrite/delegation-refusal.ts";
import { DELEGATE, delegates, migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";

/** Options that the cluster's own engine does not support: its rate and pace, and what it patches. */
export const crdshiftOnlyOptions = [
  "maxPerSecond",
  "pace",
  "keepOwnership",
  "throughStatus",
] as const satisfies readonly (keyof StartRewrite)[];

/**
 * Checks that the cluster's own engine can do the rewrite as requested.
 * @throws AppError invalid_input for options it does not support, precondition_failed if it is not served, cluster_unreachable if the API
 * server that answers doesn't serve it, and one did within the last hour, forbidden without the rights.
 */
export async function checkDelegation(connection: Connection, options: StartRewrite, signal: AbortSignal): Promise<void> {
  if (!delegates(options.engine)) return;
  const crdshiftOnly = crdshiftOnlyOptions.filter((name) => options[name]);
  if (crdshiftOnly.length > 0) {
    throw new AppError("invalid_input", `The cluster's own engine doesn't support ${crdshiftOnly.join(", ")}.`, {
      nextStep: `Leave ${crdshiftOnly.length === 1 ? "it" : "them"} out, or rewrite with crdshift's own engine.`,
    });
  }
  const api = await readMigrationApi(connection, DELEGATE, signal);
  if (api.status === "not-served" && wasServedLately(connection, DELEGATE)) {
    const { code, message } = notServedHere(migrationApiOf[DELEGATE].group);
    throw new AppError(code, message, {
      nextStep: "Try again once all API servers run the same release. If they no longer serve it, rewrite with crdshift's own engine.",
    });
  }
  if (api.status === "served") return checkRights(connection, signal);
  if (api.status !== "not-served") {
    throw new AppError("precondition_failed", "crdshift couldn't check whether the cluster serves storagemigration.k8s.io.", {
      clusterMessage: api.message,
      nextStep: "Fix the cause, or rewrite with crdshift's own engine.",
    });
  }
  throw new AppError("precondition_failed", "The cluster does not serve storagemigration.k8s.io at v1 or v1beta1.", {
    nextStep:
      "Rewrite with crdshift's own engine. (Kubernetes 1.35 and 1.36 serve it with the feature gate StorageVersionMigrator on kube-apiserver and " +
      "kube-controller-manager and --runtime-config=storagemigration.k8s.io/v1beta1=true.)",
  });
}

/** Throws AppError precondition_failed if the cluster's own engine must not write the definition's objects. */
export function refuseDelegation(crd: Pick<Crd, "versions" | "conversion">, { acceptedLosses }: Pick<Run, "acceptedLosses">): void {
  const [preferred, storage] = [preferredVersion(crd)?.name ?? null, storageVersion(crd)?.name ?? null];
  const refusal = delegationRefusal({
    ...{ preferred, storage },
    ...{ conversion: crd.conversion.strategy, unseen: acceptedLosses?.unseen ?? false },
  });
  if (refusal) throw refuse(refusal);
}

// Fail now rather than after the dry run and the settle wait. The delete verb is for a migration that no controller picks up.
async function checkRights(connection: Connection, signal: AbortSignal): Promise<void> {
  const verbs = ["create", "get", "delete"] as const;
  const access = { group: "storagemigration.k8s.io", resource: "storageversionmigrations" };
  const answers = await Promise.all(verbs.map(async (verb) => ({ verb, ...(await mayI(connection, { verb, ...access }, signal)) })));
  const missing = answers.filter(({ allowed }) => !allowed).map(({ verb }) => verb);
  if (missing.length === 0) return;
  throw new AppError("forbidden", `You can't ${missing.join(", ")} storageversionmigrations in storagemigration.k8s.io.`, {
    nextStep: "Ask for a role with these verbs, or rewrite with crdshift's own engine.",
  });
}
