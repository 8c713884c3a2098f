import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import type { ClusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isConversionFailure, isConversionRefusal } from "#lib/cluster/transport/conversion-failures.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { type Failing, type Gate, GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { type ComparedSoFar, failsAlone } from "./fails-alone.ts";
import type { Sending } from "./send-aside.ts";
import { worksFor } from "./works-for.ts";

export const MAX_ATTEMPTS = 5;
const BACKOFF = { firstMs: 100, maxMs: 3_000 };
/** After this long without any success, all requests wait and the page says why. An attempt may take half a minute to fail. */
const TELL_AFTER_MS = 5_000;
/** After this long, a webhook's refusal counts even if no other object is left whose success could confirm it. */
const BELIEVE_AFTER_MS = 10_000;
/** After this long another object is tried, to tell one object's failure from an outage; where that fails, then as often. */
const COMPARE_EVERY_MS = 10_000;
/** A comparison says nothing about a try so much later. */
const COMPARED_FOR_MS = 60_000;

/** What is known of an object's failures so far; times by performance.now(). */
export interface ObjectFailures {
  count: number;
  /** Those of them that may be its own, when the last of these was, and how many it takes to reject the object. */
  attempts: number;
  lastAttemptAt: number | null;
  maxAttempts: number;
  /** Its 429s. */
  slowedDown: number;
  firstFailureAt: number | null;
  /** The last comparison in which the same worked for another object, and when it was over. */
  compared: { kind: Failing; at: number } | null;
  /** What failed last, apart from conversion: storing it, if a dry run of the same worked. */
  writing: Exclude<Failing, "conversion">;
}

/** A failure to retry: it may be temporary, or the object's own. `isWait` if no request can succeed now. */
export interface RetryableFailure {
  kind: "retryable";
  isWait: boolean;
  /** Null if it can't be the object's own. */
  reason: string | null;
  message: string;
  /** The wait that the server asked for. */
  afterMs: number | null;
  answer: ClusterAnswer | null;
}

/** When requests were sent for which this worked with other objects. */
export type Others = Record<Failing, number>;

/** What is known of other objects now. Call it right before sending, so that a failure afterwards is younger than their answers. */
export function othersSoFar(gate: Gate): Others {
  return { conversion: gate.lastWorkedAt("conversion"), write: gate.lastWorkedAt("write"), storing: gate.lastWorkedAt("storing") };
}

export function noFailures(maxAttempts: number): ObjectFailures {
  return {
    attempts: 0,
    lastAttemptAt: null,
    maxAttempts,
    count: 0,
    slowedDown: 0,
    firstFailureAt: null,
    compared: null,
    writing: "write",
  };
}

/**
 * Counts the failure, and returns when the object's first one was. After one that may be its own, the next one may be only if the same has
 * worked for others in between: those of an outage count as one.
 */
export function noteFailure(
  failures: ObjectFailures,
  failure: RetryableFailure,
  { sentAt, others }: { sentAt: number; others: Others },
  gate: Gate,
): number {
  const { isWait, reason, answer } = failure;
  const succeededAt = gate.lastWorkedAt(failures.writing);
  const now = performance.now();
  const since = failures.firstFailureAt ?? now;
  failures.firstFailureAt = since;
  failures.count += 1;
  if (answer?.status === 429) failures.slowedDown += 1;
  // Without an answer the network may lose now this request, now that one.
  const isLasting = (answer !== null && succeededAt > sentAt) || now - since > COMPARE_EVERY_MS;
  const mayBeOwn = !isWait || (reason !== null && isLasting);
  if (mayBeOwn && (failures.lastAttemptAt === null || haveWorked(others, failures, failure, sentAt))) {
    failures.attempts += 1;
    failures.lastAttemptAt = now;
  }
  return since;
}

/**
 * Whether to reject the object, with the failure's reason: it was tried often enough while the same worked for others, or the webhook
 * itself refuses it. A patch that works says nothing about conversion, because the API server may answer it from its watch cache, where
 * objects are converted already.
 */
export function isOwnFault(
  failures: ObjectFailures,
  failure: RetryableFailure,
  since: number,
): failure is RetryableFailure & { reason: string } {
  const { count, attempts, maxAttempts } = failures;
  if (failure.reason === null) return false;
  if (attempts >= maxAttempts) return true;
  const isRefused = failure.answer !== null && isConversionRefusal(failure.answer);
  return isRefused && count >= maxAttempts && performance.now() - since > BELIEVE_AFTER_MS;
}

/**
 * Whether the same has worked for others since the last failure that may be the object's own; where it looks as if no request can succeed,
 * it must have worked about `now`.
 */
function haveWorked(others: Others, failures: ObjectFailures, failure: RetryableFailure, now: number): boolean {
  const { lastAttemptAt, compared } = failures;
  const since = lastAttemptAt ?? Number.NEGATIVE_INFINITY;
  const kind = kindOf(failure, failures);
  // A comparison may take long, as may the wait for the next try.
  const comparedAt = compared?.kind === kind && compared.at > now - COMPARED_FOR_MS ? compared.at : Number.NEGATIVE_INFINITY;
  if (comparedAt > since && comparedAt <= now) return true;
  const needed = failure.isWait ? Math.max(since, now - COMPARE_EVERY_MS) : since;
  return others[kind] > needed;
}

/**
 * What fails about the object's write: nothing but storing it, if only dry runs or comparisons of others show that the failure is its own,
 * no write that was stored does, and its own dry run works, too.
 */
export async function whatFailsOf(
  context: Sending,
  object: ObjectName,
  failure: RetryableFailure,
  { sentAt, others, failures }: { sentAt: number; others: Others; failures: ObjectFailures },
): Promise<ObjectFailures["writing"]> {
  // A conflict is another writer's.
  if (failure.reason === null || isConversion(failure.answer) || failure.answer?.status === 409) return "write";
  const isShownBy = (writing: ObjectFailures["writing"]) => haveWorked(others, { ...failures, writing }, failure, sentAt);
  if (isShownBy("storing")) return "write";
  if (!isShownBy("write")) return failures.writing;
  await heedAskedWait(context, failure);
  try {
    return (await worksFor(context, "write", object)).kind === "worked" ? "storing" : "write";
  } catch (error) {
    context.signal.throwIfAborted();
    // Without an answer, its dry run failed, too.
    return error instanceof GateHeld ? failures.writing : "write";
  }
}

/**
 * Tries another object when that is due, and notes on the gate if what fails for this one works there. Then it is to be tried again: an
 * outage that has just ended is not its fault. One comparison serves all objects that fail at that time.
 */
export async function worksForAnother(
  context: Sending,
  object: ObjectName,
  failures: ObjectFailures,
  { failure, since, failing }: { failure: RetryableFailure; since: number; failing: ReadonlySet<ObjectName> },
): Promise<boolean> {
  const { gate, signal } = context;
  const kind = kindOf(failure, failures);
  const now = performance.now();
  const comparisons = comparisonsThrough(gate)[kind];
  const isOften = !failure.isWait && failures.count >= failures.maxAttempts;
  const mayBeOwn = failure.reason !== null && (isOften || now - since > COMPARE_EVERY_MS);
  const isKnown = haveWorked(othersSoFar(gate), failures, failure, now);
  if (!mayBeOwn || isKnown || comparisons.isUnderWay || now - comparisons.failedAt <= COMPARE_EVERY_MS) return false;
  comparisons.isUnderWay = true;
  try {
    await heedAskedWait(context, failure);
    const workedAt = await failsAlone(context, object, { kind, since, failing, compared: comparisons });
    if (workedAt === null) {
      comparisons.failedAt = performance.now();
      return false;
    }
    failures.compared = { kind, at: performance.now() };
    if (kind === "conversion") gate.converted(workedAt);
    else if (kind === "storing") gate.succeeded(workedAt);
    else gate.tried(workedAt);
  } finally {
    comparisons.isUnderWay = false;
  }
  await sleep(jitteredBackoffMs(failures.attempts, BACKOFF), signal);
  return true;
}

// What the server asks for holds for a comparison, too.
async function heedAskedWait({ gate, signal }: Sending, { isWait, message, afterMs }: RetryableFailure): Promise<void> {
  if (isWait) gate.close(message, afterMs);
  else if (afterMs !== null) await sleep(afterMs, signal);
}

interface Comparisons extends ComparedSoFar {
  isUnderWay: boolean;
  /** When one last ended in vain. */
  failedAt: number;
}

function comparisonsThrough(gate: Gate): Record<Failing, Comparisons> {
  const none = (): Comparisons => ({ worked: null, next: null, isUnderWay: false, failedAt: Number.NEGATIVE_INFINITY });
  const comparisons = comparisonsOf.get(gate) ?? { conversion: none(), write: none(), storing: none() };
  comparisonsOf.set(gate, comparisons);
  return comparisons;
}

const comparisonsOf = new WeakMap<Gate, Record<Failing, Comparisons>>();

/** Waits before the next try, with all other requests if they can't succeed either. Throws the signal's reason. */
export async function backOff(
  { gate, signal }: Sending,
  failures: ObjectFailures,
  failure: RetryableFailure,
  firstSentAt: number,
): Promise<void> {
  const { isWait, message, afterMs } = failure;
  const { writing } = failures;
  const isSilent = performance.now() - Math.max(firstSentAt, gate.lastWorkedAt(writing)) > TELL_AFTER_MS;
  if (writing === "storing") gate.close(message, afterMs, "storing");
  else if (isWait || failures.count >= MAX_ATTEMPTS || isSilent || gate.cause() !== null) gate.close(message, afterMs);
  else await sleep(Math.max(afterMs ?? 0, jitteredBackoffMs(failures.count, BACKOFF)), signal);
}

function kindOf({ answer }: RetryableFailure, { writing }: ObjectFailures): Failing {
  return isConversion(answer) ? "conversion" : writing;
}

/** Whether the answer says that an object could not be converted. */
export function isConversion(answer: ClusterAnswer | null): boolean {
  return answer !== null && isConversionFailure(answer);
}
