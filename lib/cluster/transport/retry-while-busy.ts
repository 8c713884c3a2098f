import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { clusterAnswer } from "./cluster-answer.ts";
import { isConversionFailure } from "./conversion-failures.ts";

const ATTEMPTS = 4;
const BACKOFF = { firstMs: 500, maxMs: 4_000 };
/** If the server asks for a longer wait, its answer is thrown instead. */
const MAX_RETRY_AFTER_MS = 15_000;

/** Retries a request up to three times, never before Retry-After, if the API server says that it is only busy. */
export async function retryWhileBusy<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const waitMs = busyWaitMs(error);
      if (waitMs === null || waitMs > MAX_RETRY_AFTER_MS || attempt >= ATTEMPTS) throw error;
      await sleep(waitMs + jitteredBackoffMs(attempt - 1, BACKOFF), signal);
    }
  }
}

// A 429 can also mean that conversion fails, and waiting doesn't fix that.
function busyWaitMs(error: unknown): number | null {
  const answer = clusterAnswer(error);
  if (!answer || isConversionFailure(answer) || ![429, 503, 504].includes(answer.status)) return null;
  return answer.retryAfterMs ?? 0;
}
