/** What is to be told of each signal: one listener serves all, since adding and removing one costs more than most that waits for it. */
const told = new WeakMap<AbortSignal, Set<(reason: unknown) => void>>();

/** Calls `tell` with the reason once the signal, which has not been yet, is aborted; returns what takes that back. */
export function whenAborted(signal: AbortSignal, tell: (reason: unknown) => void): () => void {
  const all = told.get(signal) ?? listen(signal);
  all.add(tell);
  return () => {
    all.delete(tell);
    // A listener would keep a signal that is made of others alive as long as these.
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
