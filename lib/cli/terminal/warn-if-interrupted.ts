import type { Session } from "#lib/cli/session.ts";

/** Does what can't be taken back once it is sent. Where a signal stops it meanwhile, it is told that it may have happened. */
export async function warnIfInterrupted<Value>(
  { what, definition, act }: { what: "prune" | "undo-prune" | "repair"; definition: string; act: () => Promise<Value> },
  { output, stop, program }: Session,
): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    if (stop.signal.aborted) output.notice(`The ${what} may have happened. Look with: ${program} status ${definition}`);
    throw error;
  }
}
