import type { Connection } from "#lib/cluster/connection.ts";
import type { Crd } from "#lib/domain/crd.ts";
import type { RewriteRecord, Run } from "#lib/domain/rewrite.ts";
import { createPacer } from "./pacer.ts";
import { runRewrite } from "./run-rewrite.ts";
import { holderName, keepRunning, type RunControl, whileBeginning } from "./running.ts";
import { untilExpiry } from "./until-expiry.ts";
import { updateRecord, writtenRun } from "./update-record.ts";

type Begin = (crd: Crd, record: RewriteRecord, now: number) => RewriteRecord;

const BEGIN_WITHIN_MS = 30_000;

/**
 * Writes the record that `begin` makes, with this process as the holder, and runs its newest run. Whoever asked for it may be gone
 * by then: a record that is written must not be left without its run.
 * @throws AppError conflict at a shutdown, and what `begin` and the cluster throw.
 */
export function beginRun(
  connection: Connection,
  crdName: string,
  options: { settleSeconds: number; signal: AbortSignal },
  begin: Begin,
): Promise<Run> {
  options.signal.throwIfAborted();
  return whileBeginning(() => writeAndRun(connection, crdName, options.settleSeconds, begin));
}

async function writeAndRun(connection: Connection, crdName: string, settleSeconds: number, begin: Begin): Promise<Run> {
  const crd = await updateRecord(
    connection,
    crdName,
    (now, record, serverTime) => {
      const seen = record.generationSeen?.generation === now.generation ? record.generationSeen : null;
      const generationSeen = seen ?? { generation: now.generation, at: new Date(serverTime).toISOString() };
      return { ...begin(now, record, Date.now()), holder: holderName(), generationSeen };
    },
    AbortSignal.timeout(BEGIN_WITHIN_MS),
  );
  const run = writtenRun(crd);
  const { audience } = connection;
  const pacer = createPacer(run.maxPerSecond);
  const control: RunControl = { audience, pacer, current: () => run, publish: () => run, noteReason: () => {}, ending: false };
  keepRunning(run.id, control, (stop) =>
    untilExpiry(connection, stop, (signal) => runRewrite({ connection, crd, run, settleSeconds, control }, signal)),
  );
  return run;
}
