import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import { mayI } from "#lib/cluster/rights/access-review.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";

/** What the cluster's own engine can't be told: how fast it is to go, and what to patch. */
export const crdshiftOnlyOptions = ["maxPerSecond", "keepOwnership", "throughStatus"] as const satisfies readonly (keyof StartRewrite)[];

/**
 * Sees to it that what is asked of the cluster's own engine can be had of it.
 * @throws AppError invalid_input for options that it does not have, precondition_failed where it is not served.
 */
export async function checkDelegation(connection: Connection, options: StartRewrite, signal: AbortSignal): Promise<void> {
  if (options.engine !== "in-tree") return;
  const crdshiftOnly = crdshiftOnlyOptions.filter((name) => options[name]);
  if (crdshiftOnly.length > 0) {
    throw new AppError("invalid_input", `The cluster's own engine has no ${crdshiftOnly.join(", ")}.`, {
      nextStep: `Leave ${crdshiftOnly.length === 1 ? "it" : "them"} out, or rewrite with crdshift's own engine.`,
    });
  }
  const api = await readMigrationApi(connection, "in-tree", signal);
  if (api.status === "served") return checkRights(connection, signal);
  if (api.status !== "not-served") {
    throw new AppError("precondition_failed", "Whether the cluster serves storagemigration.k8s.io could not be found out.", {
      clusterMessage: api.message,
      nextStep: "Mend what the cause names, or rewrite with crdshift's own engine.",
    });
  }
  throw new AppError("precondition_failed", "The cluster does not serve storagemigration.k8s.io at v1 or v1beta1.", {
    nextStep:
      "Rewrite with crdshift's own engine. (Kubernetes 1.35 and 1.36 serve it with the feature gate StorageVersionMigrator on kube-apiserver and " +
      "kube-controller-manager and --runtime-config=storagemigration.k8s.io/v1beta1=true.)",
  });
}

// Better told now than after the dry run and the settle wait; delete is for one that nobody picks up.
async function checkRights(connection: Connection, signal: AbortSignal): Promise<void> {
  const verbs = ["create", "get", "delete"] as const;
  const access = { group: "storagemigration.k8s.io", resource: "storageversionmigrations" };
  const answers = await Promise.all(verbs.map(async (verb) => ({ verb, ...(await mayI(connection, { verb, ...access }, signal)) })));
  const missing = answers.filter(({ allowed }) => !allowed).map(({ verb }) => verb);
  if (missing.length === 0) return;
  throw new AppError("forbidden", `You may not ${missing.join(", ")} storageversionmigrations in storagemigration.k8s.io.`, {
    nextStep: "Ask for a role with these verbs, or rewrite with crdshift's own engine.",
  });
}
