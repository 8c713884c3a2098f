import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noSuchRun } from "#lib/cluster/history/read-runs.ts";
import { audienceOf, definitionOf } from "#lib/rewrite/run/running.ts";
import { requirePatchRight } from "./require-patch-right.ts";

/**
 * A run uses the credentials of the person who started it, and obeys at its own definition only: whoever may write another one's annotation
 * can copy the run there. Others may control it only if they could write its record themselves: with the right to patch the definition,
 * which the cluster would require of another crdshift too.
 * @throws AppError forbidden with the missing right; not_found for a run of another definition.
 */
export async function requireRunAccess(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<void> {
  const [audience, definition] = [audienceOf(runId), definitionOf(runId)];
  if (audience === null || definition === null) return;
  if (definition !== crdName || !audience.startsWith(`${connection.name}\n`)) throw noSuchRun(crdName, runId);
  if (audience === connection.audience) return;
  const words = {
    message: "Someone else started this run, and you can't patch the definition.",
    ask: "Ask the person who started it, or ask for the permission",
  };
  await requirePatchRight(connection, crdName, words, signal);
}
