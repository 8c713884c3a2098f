import { untilAborted } from "#lib/async/until-aborted.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { untilWorkEnds } from "#lib/rewrite/run/work-beside-runs.ts";

/** An API server ends every write within a minute. */
const WITHIN_MS = 90_000;

/**
 * Waits, unless the process is told to end, until what this process has found is on record: it ends with its command, and nobody else
 * knows. `words` say what goes on. Returns whether there was anything to record.
 */
export async function untilOnRecord({ output, stop }: CommandContext, words: string): Promise<boolean> {
  const found = untilWorkEnds(WITHIN_MS);
  if (found === null || stop.kind() === "shut-down") return found !== null;
  output.notice(`${words} To stop immediately, press Ctrl-C.`);
  // Once the command has been cancelled, another Ctrl-C ends the process.
  await (stop.signal.aborted ? found : untilAborted(found, stop.signal).catch(() => {}));
  return true;
}
