/**
 * Why a run ends early: its final phase and a reason for people. Also used as an abort signal's reason. With "elsewhere" the run has
 * not ended: another crdshift holds it, and this process must no longer write its record. With "lost" there is no such record any more.
 */
export class StopRun extends Error {
  readonly phase: "cancelled" | "interrupted" | "failed" | "unproven" | "elsewhere" | "lost";
  /** Who stopped it, if somebody other than the person it works for: null if the cluster doesn't name them. */
  readonly by: string | null | undefined;

  constructor(phase: StopRun["phase"], message: string, { by, ...options }: ErrorOptions & { by?: string | null } = {}) {
    super(message, options);
    this.name = "StopRun";
    this.phase = phase;
    this.by = by;
  }
}

/** Whether a person or a shutdown stopped it, and nothing went wrong. */
export function isByChoice({ phase }: StopRun): boolean {
  return phase === "cancelled" || phase === "interrupted";
}

/** Compares the name, because the server's bundle has its own copy of the class. */
export function isStopRun(error: unknown): error is StopRun {
  return error instanceof Error && error.name === "StopRun";
}
