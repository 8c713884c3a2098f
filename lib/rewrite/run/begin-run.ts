import { clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noticedRestore } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { forgetUnrecordedEnd } from "#lib/cluster/definitions/evidence/unrecorded-ends.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { inWordsIfTimedOut } from "#lib/cluster/transport/errors.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { withRun } from "#lib/rewrite/record/held-run.ts";
import { expectRecord } from "#lib/rewrite/record/own-record.ts";
import { writtenUnanswered } from "#lib/rewrite/record/unanswered-write.ts";
import { updateRecord, writtenRun } from "#lib/rewrite/record/update-record.ts";
import { runRewrite } from "./run-rewrite.ts";
import { type Beginning, holderName, keepRunning, type RunControl, whileBeginning } from "./running.ts";
import { StopRun } from "./stop-run.ts";

type Begin = (crd: Crd, record: RewriteRecord, now: number) => RewriteRecord;

const BEGIN_WITHIN_MS = 30_000;

/**
 * Writes the record that `begin` returns, with this process as the holder, and runs its newest run. The signal does not stop it once
 * begun, because a written record must not be left without its run. If the answer is missing, a look at the record decides.
 * @throws AppError conflict during a shutdown, too_many_requests if the person's runs use eight other tokens, and the errors of `begin` and the cluster.
 */
export function beginRun(
  connection: Connection,
  crdName: string,
  options: { settleSeconds: number; signal: AbortSignal },
  begin: Begin,
): Promise<Run> {
  options.signal.throwIfAborted();
  const user = { audience: connection.audience, cluster: clusterKey(connection), person: connection.person() };
  return whileBeginning({ ...user, crd: crdName }, (beginning) =>
    writeAndRun(connection, crdName, options.settleSeconds, { begin, beginning }),
  );
}

async function writeAndRun(
  connection: Connection,
  crdName: string,
  settleSeconds: number,
  { begin, beginning }: { begin: Begin; beginning: Beginning },
): Promise<Run> {
  const begun = { run: null as Run | null, uid: "" };
  const lastRestore = noticedRestore(connection);
  const note = fleetOf(connection).beginRead();
  const written = await updateRecord(
    connection,
    crdName,
    (now, record, serverTime) => {
      const changed = begin(now, record, Date.now());
      const [run = null] = changed.runs;
      Object.assign(begun, { run, uid: now.uid });
      Object.assign(beginning, { run, uid: now.uid });
      const seen = record.generationSeen?.generation === now.generation ? record.generationSeen : null;
      const generationSeen = seen ?? { generation: now.generation, at: new Date(serverTime).toISOString() };
      return { ...changed, holder: holderName(), generationSeen };
    },
    AbortSignal.timeout(BEGIN_WITHIN_MS),
    { full: true },
  ).catch((error: unknown) => {
    const { run, uid } = begun;
    if (!run) throw inWordsIfTimedOut(error, connection);
    return writtenUnanswered(connection, { name: crdName, uid }, error, (now) => hasBegun(now, run));
  });
  const crd = withoutRememberedEnd(connection, written, begun.run);
  if (crd !== written) note(crd);
  const run = writtenRun(crd);
  const pacer = createPacer(run.maxPerSecond, run.pace);
  const { audience, cluster, person } = beginning;
  const user = { connection, audience, cluster, person, uid: crd.uid };
  const control: RunControl = {
    ...user,
    pacer,
    current: () => run,
    expectRecord: () => expectRecord({ run }),
    publish: () => run,
    noteReason: () => {},
    ending: false,
  };
  const work = (stop: AbortSignal) =>
    untilExpiry(connection, stop, (signal) => runRewrite({ connection, crd, run, settleSeconds, control, lastRestore }, signal));
  keepRunning({ crd: crdName, id: run.id }, control, work, beginning.stop);
  return run;
}

function hasBegun(now: Crd, run: Run): boolean {
  const record = readableRecord(now);
  const [newest] = record?.runs ?? [];
  return record?.holder === holderName() && newest?.id === run.id && newest.renewedAt === run.renewedAt;
}

/**
 * The definition as written, with the run that has begun. An end that couldn't be recorded is recorded now: were it still remembered, a run
 * that is resumed after the clock was set back would look older than its own end.
 */
function withoutRememberedEnd(connection: Connection, written: Crd, begun: Run | null): Crd {
  const record = readableRecord(written);
  if (!forgetUnrecordedEnd(connection, written.uid) || !record || !begun) return written;
  return { ...written, record: withRun(record, begun) };
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
  return new StopRun(
    "interrupted",
    "The token of the person who started the rewrite is about to expire. Sign in with a new one, then resume.",
  );
}
