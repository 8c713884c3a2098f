import type { CommandContext } from "#lib/cli/command-context.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";

/** A context for a command that runs in this process, with what it has told so far, and its results as JSON. */
export function commandContext(connection: Connection): { context: CommandContext; notices: string[]; results: unknown[] } {
  const notices: string[] = [];
  const results: unknown[] = [];
  const output: CommandContext["output"] = {
    result: async (json) => void results.push(json),
    progress() {},
    notice: (message) => void notices.push(message),
    log() {},
    error: async () => {},
  };
  const stop = { signal: AbortSignal.timeout(60_000), kind: () => null };
  return { context: { connection, output, stop, program: "crdshift" }, notices, results };
}
