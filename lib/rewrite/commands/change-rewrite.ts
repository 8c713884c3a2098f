import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { ChangeRewrite } from "#lib/contract/rewrite/run.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { controlHere } from "./control-here.ts";

/** Changes how many objects a second a run may start, from the next object on. Throws AppError conflict if it can't. */
export async function changeRewrite(
  connection: Connection,
  crdName: string,
  runId: string,
  { maxPerSecond, signal }: ChangeRewrite & { signal: AbortSignal },
): Promise<Run> {
  const { pacer, publish } = await controlHere(connection, crdName, runId, signal);
  const isNew = pacer.maxPerSecond() !== maxPerSecond;
  pacer.setMaxPerSecond(maxPerSecond);
  if (isNew) {
    const message = `The rewrite ${maxPerSecond === null ? "now runs as fast as the API server allows" : `is now limited to ${formatCount(maxPerSecond)} objects a second`}.`;
    recordAction(connection, crdName, { kind: "limited", at: new Date().toISOString(), run: runId, message });
  }
  return publish();
}
