import { controlOf } from "./running.ts";

/** Whether a run of this process was told to pause, and has not come to rest yet. */
export function isPausePending(runId: string): boolean {
  const control = controlOf(runId);
  return control !== null && control !== "ending" && control.current().command === "pause";
}
