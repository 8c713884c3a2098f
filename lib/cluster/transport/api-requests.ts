import { isAppError } from "#lib/contract/app-error.ts";
import type { ErrorCode } from "#lib/contract/error.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** Bounds of the durations that are told apart, in seconds. */
export const DURATION_BOUNDS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

interface MethodTally {
  /** How many were answered with which status; 0 for those without an answer. */
  readonly byStatus: Map<number, number>;
  /** How many took up to each of the bounds and longer than the one before; one more for those beyond the last. */
  readonly byDuration: number[];
  seconds: number;
}

/** The requests of this process to API servers, since it was started: numbers alone, of no cluster, path or object. */
export interface ApiRequests {
  readonly byMethod: Map<string, MethodTally>;
  readonly errors: Map<ErrorCode, number>;
}

export function apiRequests(): ApiRequests {
  return processWide("api-requests", () => ({ byMethod: new Map(), errors: new Map() }));
}

/** Sends a request and counts it by how it ends. One that was given up on purpose is not counted. */
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
    if (!signal.aborted) note(method, 0, startedAt);
    throw error;
  }
}

/** Counts what a request failed with, by its code; gives it back, to be thrown. */
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
