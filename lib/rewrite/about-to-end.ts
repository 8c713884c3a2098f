import { AppError } from "#lib/contract/app-error.ts";
import type { Run } from "#lib/domain/rewrite.ts";

/** The error of whoever tells a run something whose end is being written. */
export function aboutToEnd(run: Run): AppError {
  return new AppError("conflict", "The run is about to end.", { nextStep: "See in a moment how it ended.", details: { run } });
}
