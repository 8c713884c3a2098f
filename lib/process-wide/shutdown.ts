import { processWide } from "./process-wide.ts";

/** From now on, this process refuses changes: what they do might not be recorded any more. */
export function beginShutdown(): void {
  state().isShuttingDown = true;
}

export function isShuttingDown(): boolean {
  return state().isShuttingDown;
}

function state(): { isShuttingDown: boolean } {
  return processWide("shutdown", () => ({ isShuttingDown: false }));
}
