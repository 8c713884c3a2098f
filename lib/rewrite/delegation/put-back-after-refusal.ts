import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { writtenRun } from "#lib/rewrite/record/update-record.ts";
import { leaveAbandoned } from "./leave-migration.ts";

/** Puts back what the engine of a delegated run removed from the list, where its proof was refused as it ended. `written` has that end. */
export async function putBackAfterRefusal(connection: Connection, written: Crd): Promise<void> {
  const { id, delegation } = writtenRun(written);
  await leaveAbandoned(connection, written).catch((error: unknown) => {
    const before = delegation?.storedVersionsBefore.join(", ") ?? "";
    const message =
      `status.storedVersions of ${written.name} may lack versions that are still stored, and crdshift couldn't put them back, or record ` +
      `that. Before the rewrite, it listed ${before}. Compare: kubectl get crd ${written.name} -o jsonpath={.status.storedVersions}`;
    logProblem("error", { runId: id, message, detail: errorDetail(error) });
  });
}
