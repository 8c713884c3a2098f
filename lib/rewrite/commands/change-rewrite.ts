import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { ChangeRewrite } from "#lib/contract/rewrite/run.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { controlHere } from "./control-here.ts";

/** Changes a run's pace, and how many objects a second it may start, from the next object on. Throws AppError conflict if it can't. */
export async function changeRewrite(
  connection: Connection,
  crdName: string,
  runId: string,
  { maxPerSecond, pace, signal }: ChangeRewrite & { signal: AbortSignal },
): Promise<Run> {
  const { pacer, publish } = await controlHere(connection, crdName, runId, signal);
  const tell = (message: string) =>
    recordAction(connection, crdName, { kind: "limited", at: new Date().toISOString(), run: runId, message });
  if (pace !== undefined && pace !== pacer.pace()) {
    pacer.setPace(pace);
    tell(`The rewrite now runs at the ${pace} pace.`);
  }
  if (maxPerSecond !== undefined && maxPerSecond !== pacer.maxPerSecond()) {
    pacer.setMaxPerSecond(maxPerSecond);
    tell(
      maxPerSecond === null
        ? "The rewrite no longer has a limit of objects a second."
        : `The rewrite is now limited to ${formatCount(maxPerSecond)} objects a second.`,
    );
  }
  return publish();
}
