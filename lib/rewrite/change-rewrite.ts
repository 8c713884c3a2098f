import type { Connection } from "#lib/cluster/connection.ts";
import type { ChangeRewrite } from "#lib/contract/run.ts";
import type { Run } from "#lib/domain/rewrite.ts";
import { controlHere } from "./control-here.ts";

/** Changes how many objects a second a run may begin, from the next object on. Throws AppError conflict when it can't. */
export async function changeRewrite(
  connection: Connection,
  crdName: string,
  runId: string,
  { maxPerSecond, signal }: ChangeRewrite & { signal: AbortSignal },
): Promise<Run> {
  const { pacer, publish } = await controlHere(connection, crdName, runId, signal);
  pacer.setMaxPerSecond(maxPerSecond);
  return publish();
}
