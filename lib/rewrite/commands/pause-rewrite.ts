import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { controlHere } from "./control-here.ts";

/**
 * Pauses a run. Once this returns, it starts no further object; until the current ones end, the run shows the pause as pending.
 * @throws AppError conflict if it has ended or another crdshift holds it.
 */
export async function pauseRewrite(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const { pacer, publish } = await controlHere(connection, crdName, runId, signal);
  pacer.pause();
  recordAction(connection, crdName, { kind: "paused", at: new Date().toISOString(), run: runId, message: "The rewrite was paused." });
  return publish();
}
