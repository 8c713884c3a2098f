/** Settles like the promise, or throws the signal's reason as soon as it aborts. Does not stop the promise's work. */
export async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    promise.catch(() => {});
    throw signal.reason;
  }
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stopWaiting = whenAborted(signal, reject);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stopWaiting();
  }
}

/** The callbacks of each signal. They share one listener, because adding and removing a listener costs more than most waits. */
const told = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** Calls `tell` with the reason when the signal aborts; it must not be aborted yet. Returns a function that unsubscribes. */
export function whenAborted(signal: AbortSignal, tell: (reason: unknown) => void): () => void {
  const all = told.get(signal) ?? listen(signal);
  all.add(tell);
  return () => {
    all.delete(tell);
    // A leftover listener keeps a composite signal alive as long as its sources.
    if (all.size === 0) unlisten(signal);
  };
}

function listen(signal: AbortSignal): Set<(reason: unknown) => void> {
  const all = new Set<(reason: unknown) => void>();
  told.set(signal, all);
  signal.addEventListener("abort", onAbort, { once: true });
  return all;
}

function unlisten(signal: AbortSignal): void {
  told.delete(signal);
  signal.removeEventListener("abort", onAbort);
}

function onAbort(this: AbortSignal): void {
  for (const tell of told.get(this) ?? []) tell(this.reason);
}
