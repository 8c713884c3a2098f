import { setMaxListeners } from "node:events";
import { isStopRun } from "./stop-run.ts";

/** Whoever stopped the work waits for its end. */
const LASTS_MS = 800;

/**
 * A signal for what has to follow a write that was answered. It ends with the given one, but 800 ms later if a person or a shutdown stopped
 * the work: by then the definition's last reading still holds.
 */
export function outlasting(signal: AbortSignal): AbortSignal {
  const end = new AbortController();
  setMaxListeners(0, end.signal);
  const onAbort = () => {
    const { reason } = signal;
    const isStopped = !isStopRun(reason) || reason.phase === "cancelled" || reason.phase === "interrupted";
    if (isStopped) setTimeout(() => end.abort(reason), LASTS_MS).unref();
    else end.abort(reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return end.signal;
}
