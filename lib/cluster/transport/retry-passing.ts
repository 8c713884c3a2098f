import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { clusterAnswer, isConversionFailure } from "./errors.ts";

const ATTEMPTS = 4;
const BACKOFF = { firstMs: 500, maxMs: 4_000 };
/** A server that asks for more patience than this is left alone; its answer says so. */
const MAX_RETRY_AFTER_MS = 15_000;

/** Sends a request again, a few times and never before Retry-After, when the API server says that it is only busy. */
export async function retryPassing<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const waitMs = passingWaitMs(error);
      if (waitMs === null || waitMs > MAX_RETRY_AFTER_MS || attempt >= ATTEMPTS) throw error;
      await sleep(waitMs + jitteredBackoffMs(attempt - 1, BACKOFF), signal);
    }
  }
}

// A 429 may also mean that conversion fails, which no waiting mends.
function passingWaitMs(error: unknown): number | null {
  const answer = clusterAnswer(error);
  if (!answer || isConversionFailure(answer) || ![429, 503, 504].includes(answer.status)) return null;
  return answer.retryAfterMs ?? 0;
}
