import type { Connection } from "#lib/cluster/connection.ts";
import type { ChangeRewrite } from "#lib/contract/run.ts";
import { formatCount } from "#lib/domain/counted.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import { controlHere } from "./control-here.ts";
import { recordAction } from "./record-action.ts";

/** Changes how many objects a second a run may begin, from the next object on. Throws AppError conflict when it can't. */
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
    const message = `The rewrite may begin ${maxPerSecond === null ? "as many objects a second as the API server takes" : `at most ${formatCount(maxPerSecond)} objects a second`}.`;
    recordAction(connection, crdName, { kind: "limited", at: new Date().toISOString(), run: runId, message });
  }
  return publish();
}
