import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { createEvent } from "#lib/cluster/history/events.ts";
import { whoAmI } from "#lib/cluster/rights/who-am-i.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { Action } from "#lib/domain/record/action.ts";
import { knownUser } from "#lib/domain/record/known-user.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** What is done at most for the record of one action; nothing else waits for it. */
const RECORD_WITHIN_MS = 5_000;
/** A shutdown leaves no more: a second after it has begun nothing is sent. */
const LAST_WORDS_MS = 800;

interface Recording {
  /** Actions whose Event is on its way. */
  readonly pending: Set<Promise<void>>;
  readonly shutdown: AbortController;
  /** Who the API server says that a connection is; null where it would not. */
  readonly users: WeakMap<Connection, Promise<string | null>>;
  /** Connections whose Events were not taken; that was told. */
  readonly refused: WeakSet<Connection>;
  /** When the last action was, and how many in that very millisecond were before it. */
  last: { at: string; sameBefore: number };
  log: (line: string) => void;
}

function recording(): Recording {
  return processWide("recording", () => ({
    pending: new Set(),
    shutdown: new AbortController(),
    users: new WeakMap(),
    refused: new WeakSet(),
    last: { at: "", sameBefore: 0 },
    log: (line: string) => console.log(line),
  }));
}

/** Without `by` the API server is asked who it is. */
type Told = Omit<Action, "by"> & { by?: string };

/**
 * Tells of an action: as an Event about the definition, and as one line of JSON in the log, whether the Event could be written or
 * not. Returns at once, and never fails: a run does not wait for its own story.
 */
export function recordAction(connection: Connection, crdName: string, action: Told): void {
  // Looked up now: later its fleet may have been let go of.
  const uid = fleetOf(connection).crd(crdName)?.uid ?? null;
  const here = recording();
  here.last = { at: action.at, sameBefore: action.at === here.last.at ? here.last.sameBefore + 1 : 0 };
  const { pending, last } = here;
  const told = tell(connection, { name: crdName, uid }, { ...action, sameBefore: last.sameBefore })
    .catch((error: unknown) => logProblem("error", { message: "An action could not be told.", detail: errorDetail(error) }))
    .finally(() => pending.delete(told));
  pending.add(told);
}

/** Resolves once what was done until now is recorded, or could not be within five seconds; or with the signal. */
export async function untilRecorded(signal?: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  await Promise.race([Promise.allSettled(recording().pending), aborted]);
}

/** For a shutdown that begins now: what is to be recorded has 0.8 seconds, and is given up after that. */
export function endRecording(): void {
  const { shutdown } = recording();
  setTimeout(() => shutdown.abort(new Error("crdshift is being shut down")), LAST_WORDS_MS).unref();
}

/** From now on the lines go there, and not to standard output. */
export function logActionsTo(log: (line: string) => void): void {
  recording().log = log;
}

async function tell(
  connection: Connection,
  { name, uid }: { name: string; uid: string | null },
  { sameBefore, ...told }: Told & { sameBefore: number },
): Promise<void> {
  const { shutdown, log } = recording();
  const signal = AbortSignal.any([shutdown.signal, AbortSignal.timeout(RECORD_WITHIN_MS)]);
  const action: Action = { ...told, by: told.by === undefined ? await userOf(connection, signal) : knownUser(told.by) };
  const { kind, at, by, run, message } = action;
  log(JSON.stringify({ level: "info", at, action: kind, cluster: connection.name, crd: name, run, by, message }));
  if (uid === null) return;
  const { refused } = recording();
  try {
    await createEvent(connection, { name, uid }, action, { sameBefore, signal, timeoutMs: RECORD_WITHIN_MS });
    refused.delete(connection);
  } catch (error) {
    if (refused.has(connection)) return;
    refused.add(connection);
    const at = new Date().toISOString();
    log(
      JSON.stringify({
        level: "warn",
        at,
        cluster: connection.name,
        crd: name,
        run,
        message: `No Event could be written. ${errorWords(error)}`,
      }),
    );
  }
}

// Asked once, and again after an answer that names nobody.
async function userOf(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const { users } = recording();
  const asked = users.get(connection) ?? whoAmI(connection, signal).then(knownUser, () => null);
  users.set(connection, asked);
  const user = await asked;
  if (user === null && users.get(connection) === asked) users.delete(connection);
  return user;
}

/** Tells how a run ended, once the annotation says it. */
export function recordEnd(connection: Connection, run: Run): void {
  const { phase } = run;
  if (!isEnd(phase)) return;
  const at = run.endedAt ?? run.renewedAt;
  recordAction(connection, run.crd, { kind: phase, at, run: run.id, message: endSentence({ ...run, phase }) });
}
