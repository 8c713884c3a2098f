import type { Session } from "#lib/cli/session.ts";

/** Runs an action that can't be recalled once sent. If a signal interrupts it, warns that it may have gone through. */
export async function warnIfInterrupted<Value>(
  { what, definition, act }: { what: "prune" | "undo-prune" | "repair"; definition: string; act: () => Promise<Value> },
  { output, stop, program }: Session,
): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (stop.signal.aborted) output.notice(`The ${what} may have gone through. Check with: ${program} status ${definition}`);
    throw error;
  }
}
