import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { runRewrite } from "./run-rewrite.ts";
import { holderName, keepRunning, type RunControl, whileBeginning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

type Begin = (crd: Crd, record: RewriteRecord, now: number) => RewriteRecord;

const BEGIN_WITHIN_MS = 30_000;

/**
 * Writes the record that `begin` returns, with this process as the holder, and runs its newest run. The signal does not stop it once
 * begun, because a written record must not be left without its run.
 * @throws AppError conflict during a shutdown, and the errors of `begin` and the cluster.
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

/** How long before its token expires a run stops, to record its state while the token still works. */
const LAST_WORDS_MS = 30_000;
/** Longer timers fire at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Does a run's work until shortly before its token expires, then aborts the signal with an interruption, so that a person can sign in
 * and resume. Other credentials never replace the token.
 */
export async function untilExpiry(
  { expiresAt }: Pick<Connection, "expiresAt">,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - Date.now() - LAST_WORDS_MS;
  if (leftMs > LONGEST_TIMER_MS) return work(stop);
  const expiring = new AbortController();
  const timer = setTimeout(() => expiring.abort(expired()), Math.max(0, leftMs));
  try {
    await work(AbortSignal.any([stop, expiring.signal]));
  } finally {
    clearTimeout(timer);
  }
}

function expired(): StopRun {
  return new StopRun("interrupted", "The token of the person who started the run is about to expire. Sign in with a new one, then resume.");
}
