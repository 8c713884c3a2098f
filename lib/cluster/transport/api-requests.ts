import { isAppError } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { HeldBack } from "./whole-answer.ts";

/** Upper bounds of the duration buckets, in seconds. */
export const DURATION_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

interface MethodTally {
  /** The number of requests by status; status 0 means no answer. */
  readonly byStatus: Map<number, number>;
  /** The number of requests in each duration bucket; the last bucket has no upper bound. */
  readonly byDuration: number[];
  seconds: number;
}

/** Counts of this process's requests to API servers since it started. They name no cluster, path or object. */
export interface ApiRequests {
  readonly byMethod: Map<string, MethodTally>;
  readonly errors: Map<ErrorCode, number>;
}

export function apiRequests(): ApiRequests {
  return processWide("api-requests", () => ({ byMethod: new Map(), errors: new Map() }));
}

/** Sends a request and counts it by its outcome. Aborted requests don't count, nor does what was never sent. */
export async function countRequest<Answer extends { statusCode: number }>(
  method: string,
  signal: AbortSignal,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const answer = await send();
    note(method, answer.statusCode, startedAt);
    return answer;
  } catch (error) {
    if (!signal.aborted && !(error instanceof HeldBack)) note(method, 0, startedAt);
    throw error;
  }
}

/** Counts a request's error by its code, and returns the error for throwing. */
export function countError<Thrown>(error: Thrown): Thrown {
  const { errors } = apiRequests();
  if (isAppError(error)) errors.set(error.code, (errors.get(error.code) ?? 0) + 1);
  return error;
}

function note(method: string, status: number, startedAt: number): void {
  const { byMethod } = apiRequests();
  let tally = byMethod.get(method);
  if (!tally) {
    tally = { byStatus: new Map(), byDuration: Array(DURATION_BOUNDS.length + 1).fill(0), seconds: 0 };
    byMethod.set(method, tally);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const beyond = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
  const slot = beyond === -1 ? DURATION_BOUNDS.length : beyond;
  tally.byDuration[slot] = (tally.byDuration[slot] ?? 0) + 1;
  tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
  tally.seconds += seconds;
}
