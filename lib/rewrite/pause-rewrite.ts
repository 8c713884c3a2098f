import type { Connection } from "#lib/cluster/connection.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import { controlHere } from "./control-here.ts";
import { recordAction } from "./record-action.ts";

/**
 * Pauses a run: no further object is begun when this returns. Until those under way have ended the run shows the command as pressed.
 * @throws AppError conflict when it has ended, or when another crdshift holds it.
 */
export async function pauseRewrite(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const { pacer, publish } = await controlHere(connection, crdName, runId, signal);
  pacer.pause();
  recordAction(connection, crdName, { kind: "paused", at: new Date().toISOString(), run: runId, message: "The rewrite was paused." });
  return publish();
}
