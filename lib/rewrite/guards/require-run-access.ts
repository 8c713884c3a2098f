import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noSuchRun } from "#lib/cluster/history/read-runs.ts";
import { mayI } from "#lib/cluster/rights/read-rights.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { usersOf } from "#lib/rewrite/run/running.ts";

/**
 * Requires the right to control a run that is here, whoever's it has become while the cluster was asked. Nothing else may be awaited before
 * the run is told: it may begin here, or go on with another person's credentials, at any time.
 * @throws AppError forbidden with the missing right; not_found for a run that another context began.
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
 * @throws AppError forbidden with the missing right; not_found for a run that another context began.
 */
async function requireAccessNow(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const users = usersOf({ crd: crdName, id: runId });
  // Another context may lead to another cluster, where a definition and a run have these names, too.
  if (!users.every((audience) => audience.startsWith(`${connection.name}\n`))) throw noSuchRun(crdName, runId);
  if (users.every((audience) => audience === connection.audience)) return;
  const words = {
    message: "Someone else started this rewrite, and you can't patch the definition.",
    ask: "Ask the person who started it, or ask for the permission",
  };
  await requirePatchRight(connection, crdName, words, signal);
}

/**
 * Asks the cluster whether the user may patch the definition, before anything else is done for them.
 * @throws AppError forbidden with these words and the command that checks the right.
 */
export async function requirePatchRight(
  connection: Connection,
  crdName: string,
  { message, ask = "Ask for the permission" }: { message: string; ask?: string },
  signal: AbortSignal,
): Promise<void> {
  const { allowed, reason } = await mayPatch(connection, crdName, signal);
  if (allowed) return;
  throw new AppError("forbidden", message, {
    clusterMessage: reason || undefined,
    nextStep: `${ask}; check with: kubectl auth can-i patch ${shellQuoted(`customresourcedefinitions.apiextensions.k8s.io/${crdName}`)}`,
  });
}

/** Whether the user may patch the definition, as the cluster says. Throws AppError if the cluster can't be asked. */
export function mayPatch(connection: Connection, crdName: string, signal: AbortSignal): ReturnType<typeof mayI> {
  const right = { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions", name: crdName } as const;
  return mayI(connection, right, signal);
}
