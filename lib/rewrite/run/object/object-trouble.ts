import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { type ClusterAnswer, isConversionFailure, isConversionRefusal } from "#lib/cluster/transport/errors.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { failsAlone, type Listing } from "./fails-alone.ts";

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
export interface Trouble {
  /** The failures that may be its own, and how many of them it takes to reject it. */
  attempts: number;
  maxAttempts: number;
  /** Its 429s. */
  slowedDown: number;
  firstFailureAt: number | null;
  /** The last comparison in which the same worked for another object, and when it was over. */
  compared: { kind: Kind; at: number } | null;
}

/** What failed: a conversion, or anything else about a write. */
type Kind = "conversion" | "write";

/** A failure that may pass, or may be the object's own. `isWait` if no request can succeed now. */
export interface PassingFailure {
  kind: "passing";
  isWait: boolean;
  /** Null if it can't be the object's own. */
  reason: string | null;
  message: string;
  /** The wait that the server asked for. */
  afterMs: number | null;
  answer: ClusterAnswer | null;
}

/** When requests were sent that worked for other objects: writes, and reads that need a conversion. */
export interface Others {
  writtenAt: number;
  convertedAt: number;
}

/** What is known of other objects now. Call it right before sending, so that a failure afterwards is younger than their answers. */
export function othersSoFar(gate: Gate): Others {
  return { writtenAt: gate.lastSuccessAt(), convertedAt: gate.lastConversionAt() };
}

export function noTrouble(maxAttempts: number): Trouble {
  return { attempts: 0, maxAttempts, slowedDown: 0, firstFailureAt: null, compared: null };
}

/** Counts the failure, and returns when the object's first one was. */
export function noteFailure(trouble: Trouble, { isWait, reason, answer }: PassingFailure, sentAt: number, gate: Gate): number {
  const now = performance.now();
  const since = trouble.firstFailureAt ?? now;
  trouble.firstFailureAt = since;
  // Without an answer the network may lose now this request, now that one.
  const isLasting = (answer !== null && gate.lastSuccessAt() > sentAt) || now - since > COMPARE_EVERY_MS;
  if (!isWait || (reason !== null && isLasting)) trouble.attempts += 1;
  if (answer?.status === 429) trouble.slowedDown += 1;
  return since;
}

/**
 * Whether to reject the object, with the failure's reason: it was tried often enough, and between its first failure and its last try the
 * same worked for others, or the webhook itself refused. A patch that works says nothing about conversion, because the API server may
 * answer it from its watch cache, where objects are converted already.
 */
export function isOwnFault(
  { attempts, maxAttempts, compared }: Trouble,
  failure: PassingFailure,
  { since, sentAt }: { since: number; sentAt: number },
  others: Others,
): failure is PassingFailure & { reason: string } {
  if (failure.reason === null || attempts < maxAttempts) return false;
  // A comparison may take long, as may the wait for the next try.
  const comparedAgo = compared?.kind === kindOf(failure) ? sentAt - compared.at : -1;
  const isCompared = comparedAgo >= 0 && comparedAgo < COMPARED_FOR_MS;
  if (isCompared || haveWorked(others, failure, since, sentAt)) return true;
  return failure.answer !== null && isConversionRefusal(failure.answer) && performance.now() - since > BELIEVE_AFTER_MS;
}

/** Whether the same worked for others since; where it looks as if no request can succeed, it must have worked about `now`. */
function haveWorked({ writtenAt, convertedAt }: Others, { answer, isWait }: PassingFailure, since: number, now: number): boolean {
  const needed = isWait ? Math.max(since, now - COMPARE_EVERY_MS) : since;
  return (isConversion(answer) ? convertedAt : writtenAt) > needed;
}

/**
 * Tries another object when that is due, and notes on the gate if what fails for this one works there. Then it is to be tried once more:
 * an outage that has just ended is not its fault. One comparison serves all objects that fail at that time.
 */
export async function worksForAnother(
  context: Listing,
  object: ObjectName,
  trouble: Trouble,
  { failure, since, failing }: { failure: PassingFailure; since: number; failing: ReadonlySet<ObjectName> },
): Promise<boolean> {
  const { gate } = context;
  const kind = kindOf(failure);
  const now = performance.now();
  const compared = comparedThrough(gate);
  const mayBeOwn = failure.reason !== null && (trouble.attempts >= trouble.maxAttempts || now - since > COMPARE_EVERY_MS);
  const isKnown = haveWorked(othersSoFar(gate), failure, since, now);
  if (!mayBeOwn || isKnown || now - (compared.get(kind) ?? Number.NEGATIVE_INFINITY) <= COMPARE_EVERY_MS) return false;
  compared.set(kind, now);
  if (!(await failsAlone(context, object, { kind, since, failing }))) return false;
  compared.delete(kind);
  trouble.compared = { kind, at: performance.now() };
  if (kind === "conversion") gate.converted(now);
  else gate.succeeded(now);
  return true;
}

/** When an object was last compared with another one in vain. */
function comparedThrough(gate: Gate): Map<Kind, number> {
  const compared = comparisons.get(gate) ?? new Map();
  comparisons.set(gate, compared);
  return compared;
}

const comparisons = new WeakMap<Gate, Map<Kind, number>>();

/** Waits before the next try, with all other requests if they can't succeed either. Throws the signal's reason. */
export async function backOff({ gate, signal }: Listing, trouble: Trouble, failure: PassingFailure, firstSentAt: number): Promise<void> {
  const { isWait, message, afterMs } = failure;
  const isSilent = performance.now() - Math.max(firstSentAt, gate.lastSuccessAt()) > TELL_AFTER_MS;
  if (isWait || trouble.attempts >= MAX_ATTEMPTS || isSilent || gate.cause() !== null) gate.close(message, afterMs);
  else await sleep(Math.max(afterMs ?? 0, jitteredBackoffMs(trouble.attempts, BACKOFF)), signal);
}

function kindOf({ answer }: PassingFailure): Kind {
  return isConversion(answer) ? "conversion" : "write";
}

/** Whether the answer says that an object could not be converted. */
export function isConversion(answer: ClusterAnswer | null): boolean {
  return answer !== null && isConversionFailure(answer);
}
