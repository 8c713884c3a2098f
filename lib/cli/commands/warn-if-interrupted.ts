import type { CommandContext } from "#lib/cli/command-context.ts";

/** Runs an action that can't be recalled once sent. If a signal interrupts it from then on, warns that it may have gone through. */
export async function warnIfInterrupted<Value>(
  { what, definition, act }: { what: "prune" | "undo-prune" | "repair"; definition: string; act: (onWrite: () => void) => Promise<Value> },
  { output, stop, program }: CommandContext,
): Promise<Value> {
  let isSent = false;
  try {
    return await act(() => {
      isSent = true;
    });
  } catch (error) {
    if (isSent && stop.signal.aborted) output.notice(`The ${what} may have gone through. Check with: ${program} status ${definition}`);
    throw error;
  }
}
