import { setMaxListeners } from "node:events";
import { isAppError } from "#lib/contract/app-error.ts";
import { isByChoice, isStopRun } from "./stop-run.ts";

/** Whoever stopped the work waits for its end. */
const LASTS_MS = 800;
/** Shorter, since a cancel takes effect within a second even if no answer comes. */
const ANSWERED_WITHIN_MS = 250;

/**
 * A signal for what has to follow a write that was answered. It ends with the given one, but 800 ms later if a person or a shutdown stopped
 * the work: by then the definition's last reading still holds.
 */
export function outlasting(signal: AbortSignal): AbortSignal {
  return later(signal, LASTS_MS);
}

/**
 * A signal for the answers to writes that were sent. It ends with the given one, but a quarter of a second later if a person or a shutdown
 * stopped the work. Otherwise, what isn't stored yet had better not be.
 */
export function answering(signal: AbortSignal): AbortSignal {
  return later(signal, ANSWERED_WITHIN_MS);
}

function later(signal: AbortSignal, ms: number): AbortSignal {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const onAbort = () => {
    const { reason } = signal;
    if (isStopped(reason)) setTimeout(() => end.abort(reason), ms).unref();
    else end.abort(reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return end.signal;
}

/** Whether someone stopped the work, or their request ended, and nothing went wrong with it. */
function isStopped(reason: unknown): boolean {
  return isStopRun(reason) ? isByChoice(reason) : !isAppError(reason);
}
