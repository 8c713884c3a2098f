/** What a person or a supervisor asks for: Ctrl-C cancels; SIGTERM, and a terminal that is gone, leave a rewrite to be resumed. */
export type StopKind = "cancel" | "shut-down";

export interface StopSignals {
  /** Aborted with the first. */
  signal: AbortSignal;
  /** Which it was; null while there was none. */
  kind(): StopKind | null;
}

const kinds = { SIGINT: "cancel", SIGTERM: "shut-down", SIGHUP: "shut-down" } as const satisfies Partial<Record<NodeJS.Signals, StopKind>>;

/** A terminal sends Ctrl-C to all that it runs, and npx, npm and the Node of the system pass it on: the same comes again at once. */
const SAME_WITHIN_MS = 300;

/** Listens from now on. `onAgain` is called with the first kind when one more comes, by somebody who does not want to wait. */
export function stopSignals(onAgain: (kind: StopKind) => void): StopSignals {
  const stop = new AbortController();
  let first: { kind: StopKind; at: number } | null = null;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      if (first === null) {
        first = { kind: kinds[name], at: performance.now() };
        stop.abort(new Error(`stopped by ${name}`));
      } else if (performance.now() - first.at > SAME_WITHIN_MS) {
        onAgain(first.kind);
      }
    });
  }
  return { signal: stop.signal, kind: () => first?.kind ?? null };
}
