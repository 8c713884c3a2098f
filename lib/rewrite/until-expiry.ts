import type { Connection } from "#lib/cluster/connection.ts";
import { StopRun } from "./stop-run.ts";

/** What is left of a token to write how the run stands, while the cluster still takes it. */
const LAST_WORDS_MS = 30_000;
/** Longer timers fire at once: https://nodejs.org/api/timers.html#settimeoutcallback-delay-args */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Does a run's work until the token that it works with is about to end; then its signal is aborted with an interruption that says so,
 * so that a person can sign in and resume. No other credentials ever take the token's place.
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
  return new StopRun("interrupted", "The token of whoever started it ends. Sign in with a new one, then resume.");
}
