import { clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { noSuchRun } from "#lib/cluster/history/read-runs.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { expectRecordOf, usersOf } from "#lib/rewrite/run/running.ts";

/**
 * Requires the right to control a run that is here, whoever's it has become while the cluster was asked. Nothing else may be awaited before
 * the run is told: it may begin here, or go on with another person's credentials, at any time.
 * @throws AppError forbidden with the missing right; not_found for a run of another context or cluster, conflict for another
 * token's, or another cluster's, that began at another address.
 */
export async function requireRunAccess(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const whose = () => JSON.stringify(usersOf({ crd: crdName, id: runId }));
  for (let asked = ""; asked !== whose(); ) {
    asked = whose();
    await requireAccessNow(connection, crdName, runId, signal);
  }
}

/**
 * A run uses the credentials of the person who started it. Others may control it only if they could write its record themselves: with the
 * right to patch the definition, which the cluster would require of another crdshift too.
 */
async function requireAccessNow(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const users = usersOf({ crd: crdName, id: runId });
  // Another context may lead to another cluster, where a definition and a run have these names, too.
  if (!users.every(({ audience }) => audience.startsWith(`${connection.name}\n`))) throw noSuchRun(crdName, runId);
  const elsewhere = users.filter(({ cluster }) => cluster !== clusterKey(connection));
  if (elsewhere.length > 0) {
    // So may this context since the kubeconfig changed, unless that is only another address. A clone has the same uid and an older record,
    // and must not say who else controls a run.
    const isItsRecord = expectRecordOf({ crd: crdName, id: runId });
    const { crd } = await readCrd(connection, crdName, signal);
    if (elsewhere.some((user) => user.uid !== crd.uid)) throw noSuchRun(crdName, runId);
    const isClone = !isItsRecord(readableRecord(crd));
    if (isClone || elsewhere.some(({ audience }) => audience !== connection.audience)) throw beganAtAnotherAddress();
  }
  if (users.every(({ audience }) => audience === connection.audience)) return;
  const words = {
    message: "Someone else started this rewrite, and you can't patch the definition.",
    ask: "Ask the person who started it, or ask for the permission",
  };
  await requirePatchRight(connection, crdName, words, signal);
}

function beganAtAnotherAddress(): AppError {
  const message = "This rewrite was started while the context led to another address, with another token or in another cluster.";
  return new AppError("conflict", message, {
    nextStep: "Let the context lead to that address again, or stop crdshift, which interrupts every rewrite.",
  });
}
