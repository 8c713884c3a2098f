import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { leaveMigration } from "./leave-migration.ts";

const LEAVE_WITHIN_MS = 2_000;

/** Abandons the migration that a run which ends may have, unless it has been left already. The run tells what became of it. Never throws. */
export async function leaveNow({ heldRun, state }: Progress): Promise<void> {
  const { delegation } = state.run;
  // It may have been left already, because the dry run is outdated.
  if (!delegation || !state.mayHaveMigration || delegation.left !== null) return;
  const left = await leaveMigration(heldRun.connection, state.run, delegation, AbortSignal.timeout(LEAVE_WITHIN_MS));
  state.run = { ...state.run, delegation: { ...delegation, ...left } };
}
