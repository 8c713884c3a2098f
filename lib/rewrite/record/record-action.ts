import { isFresh } from "#lib/async/is-fresh.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { createEvent } from "#lib/cluster/history/events.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import type { Action } from "#lib/domain/audit/action.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { endSentence, isEnd } from "#lib/domain/rewrite/run-sentences.ts";
import { errorDetail, logLine, logProblem } from "#lib/process-wide/log-problem.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** The time limit for recording one action. Nothing else waits for it. */
const RECORD_WITHIN_MS = 5_000;
/** The limit during a shutdown: a second after it begins, nothing more is sent. */
const LAST_WORDS_MS = 800;

interface Recording {
  /** Actions being recorded, with the definition's name. */
  readonly pending: Map<Promise<void>, string>;
  readonly shutdown: AbortController;
  /** A connection's user according to the API server; null if it doesn't say. */
  readonly users: WeakMap<Connection, { asked: Promise<string | null>; at: number }>;
  /** Connections whose Events were refused and for which that is already logged. */
  readonly refused: WeakSet<Connection>;
  /** The time of the last action, and how many came before it in the same millisecond. */
  last: { at: string; sameBefore: number };
  log: (line: string) => void;
}

function recording(): Recording {
  return processWide("recording", () => ({
    pending: new Map(),
    shutdown: new AbortController(),
    users: new WeakMap(),
    refused: new WeakSet(),
    last: { at: "", sameBefore: 0 },
    log: (line: string) => console.log(line),
  }));
}

/** Without `by`, it is the connection's user; null for somebody whom the cluster doesn't name. */
export type Told = Omit<Action, "by"> & { by?: string | null };

/**
 * Records an action as an Event on the definition and as one line of JSON in the log, which is written even if the Event fails. Returns
 * at once and never throws, so that a run never waits for it. `crdUid` is for what was done to a definition that may have been created
 * again since; without it, the definition is the one that now has the name.
 */
export function recordAction(connection: Connection, crdName: string, action: Told, crdUid?: string): void {
  // Looked up now, because the fleet may be gone later.
  const uid = crdUid ?? fleetOf(connection).crd(crdName)?.uid ?? null;
  const here = recording();
  here.last = { at: action.at, sameBefore: action.at === here.last.at ? here.last.sameBefore + 1 : 0 };
  const { pending, last } = here;
  const told = tell(connection, { name: crdName, uid }, { ...action, sameBefore: last.sameBefore })
    .catch((error: unknown) => logProblem("error", { message: "An action couldn't be recorded.", detail: errorDetail(error) }))
    .finally(() => pending.delete(told));
  pending.set(told, crdName);
}

/**
 * Resolves once all actions so far are recorded or given up (after five seconds), or when the signal aborts. With `crdName`, only those of
 * definitions of that name: nobody waits for what others do elsewhere.
 */
export async function untilRecorded(signal?: AbortSignal, crdName?: string): Promise<void> {
  const aborted = new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true }));
  const awaited = [...recording().pending].filter(([, name]) => crdName === undefined || name === crdName).map(([told]) => told);
  await Promise.race([Promise.allSettled(awaited), aborted]);
}

/** Begins the shutdown: pending actions get 0.8 seconds and are then given up. */
export function endRecording(): void {
  const { shutdown } = recording();
  setTimeout(() => shutdown.abort(new Error("crdshift is being shut down")), LAST_WORDS_MS).unref();
}

/** Sends the log lines to `log` instead of standard output. */
export function logActionsTo(log: (line: string) => void): void {
  recording().log = log;
}

/** Records an action of which nobody knows whether it was done. */
export function recordUnconfirmed(connection: Connection, { name, uid }: Pick<Crd, "name" | "uid">, action: Told): void {
  recordAction(connection, name, { ...action, message: `Unconfirmed: ${action.message}` }, uid);
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
  log(logLine({ level: "info", at, action: kind, cluster: connection.name, crd: name, run, by, message }));
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
      logLine({
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

/** A kubeconfig may get another user at any time. */
const USER_FRESH_MS = 60_000;

// Asked once, and again if the answer names no user, or the connection's credentials may be another's by now.
async function userOf(connection: Connection, signal: AbortSignal): Promise<string | null> {
  const { users } = recording();
  const known = users.get(connection);
  const isKnown = known && (!connection.renewable || isFresh(known.at, USER_FRESH_MS));
  const now = isKnown ? known : { asked: whoAmI(connection, signal).then(knownUser, () => null), at: Date.now() };
  users.set(connection, now);
  const user = await now.asked;
  if (user === null && users.get(connection) === now) users.delete(connection);
  return user;
}

/**
 * Records how a run ended. Call it once the annotation has the end, or can't have it. `by` is who ended it, if somebody other than the
 * connection's user: null if the cluster doesn't name them.
 */
export function recordEnd(
  connection: Connection,
  run: Run,
  { crdUid, by }: { crdUid?: string; by?: string | null | undefined } = {},
): void {
  const { phase } = run;
  if (!isEnd(phase)) return;
  const at = run.endedAt ?? run.renewedAt;
  const message = endSentence({ ...run, phase });
  recordAction(connection, run.crd, { kind: phase, at, run: run.id, message, ...(by !== undefined && { by }) }, crdUid);
}
