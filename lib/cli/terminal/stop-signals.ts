/** How to stop: Ctrl-C cancels; SIGTERM or a closed terminal leaves a rewrite that can be resumed. */
export type StopKind = "cancel" | "shut-down";

export interface StopSignals {
  /** Aborts at the first signal. */
  signal: AbortSignal;
  /** The kind of the first signal; null until there is one. */
  kind(): StopKind | null;
}

const kinds = { SIGINT: "cancel", SIGTERM: "shut-down", SIGHUP: "shut-down" } as const satisfies Partial<Record<NodeJS.Signals, StopKind>>;

/** A terminal sends Ctrl-C to every process it runs, and npx, npm and the system's Node forward it: one press can arrive twice. */
const SAME_WITHIN_MS = 300;

/** Starts listening. Calls `onAgain` with the first kind when the user sends another signal instead of waiting. */
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
