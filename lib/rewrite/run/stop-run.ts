/**
 * Why a run ends before its time: the phase it ends in, and the reason for people. An abort signal's reason, too. One that is
 * "elsewhere" has not ended: another crdshift holds it, and its record is no more for this one to write.
 */
export class StopRun extends Error {
  readonly phase: "cancelled" | "interrupted" | "failed" | "blocked" | "elsewhere";

  constructor(phase: StopRun["phase"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StopRun";
    this.phase = phase;
  }
}

/** By name: a run may be stopped from the server process, whose bundle has a class of its own. */
export function isStopRun(error: unknown): error is StopRun {
  return error instanceof Error && error.name === "StopRun";
}
