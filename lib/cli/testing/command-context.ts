import type { CommandContext } from "#lib/cli/command-context.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";

/** A context for a command that runs in this process, with what it has told so far. */
export function commandContext(connection: Connection): { context: CommandContext; notices: string[] } {
  const notices: string[] = [];
  const output: CommandContext["output"] = {
    result: async () => {},
    progress() {},
    notice: (message) => void notices.push(message),
    log() {},
    error: async () => {},
  };
  const stop = { signal: AbortSignal.timeout(60_000), kind: () => null };
  return { context: { connection, output, stop, program: "crdshift" }, notices };
}
