import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { leaveMigration } from "./leave-migration.ts";

const LEAVE_WITHIN_MS = 2_000;

/** Abandons a run's migration, unless it has been left already, and records on the run what became of it. Never throws. */
export async function leaveNow({ heldRun, state }: Progress): Promise<void> {
  const { delegation } = state.run;
  // It may have been left already, because the dry run is outdated.
  if (!delegation || delegation.left !== null) return;
  const left = await leaveMigration(heldRun.connection, state.run, delegation, AbortSignal.timeout(LEAVE_WITHIN_MS));
  state.run = { ...state.run, delegation: { ...delegation, ...left } };
}
