import { clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noSuchRun } from "#lib/cluster/history/read-runs.ts";
import { requirePatchRight } from "#lib/cluster/rights/require-patch-right.ts";
import { usersOf } from "#lib/rewrite/run/running.ts";

/**
 * Requires the right to control a run that is here, whoever's it has become while the cluster was asked. Nothing else may be awaited before
 * the run is told: it may begin here, or go on with another person's credentials, at any time.
 * @throws AppError forbidden with the missing right; not_found for a run of another context or cluster.
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
 * @throws AppError forbidden with the missing right; not_found for a run of another context or cluster.
 */
async function requireAccessNow(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const users = usersOf({ crd: crdName, id: runId });
  // Another cluster may have a definition and a run of these names, and must not say who controls this one. Another context may lead to one,
  // and so may this context since the kubeconfig changed.
  const isOfThis = ({ audience, cluster }: (typeof users)[number]) =>
    audience.startsWith(`${connection.name}\n`) && cluster === clusterKey(connection);
  if (!users.every(isOfThis)) throw noSuchRun(crdName, runId);
  if (users.every(({ audience }) => audience === connection.audience)) return;
  const words = {
    message: "Someone else started this rewrite, and you can't patch the definition.",
    ask: "Ask the person who started it, or ask for the permission",
  };
  await requirePatchRight(connection, crdName, words, signal);
}
