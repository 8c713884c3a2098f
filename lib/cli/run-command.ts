import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { endRecording, logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { unknownSettings } from "#lib/settings/env.ts";
import type { ClusterInvocation } from "./arguments/parse-arguments.ts";
import { dryRun } from "./commands/dry-run.ts";
import { prune } from "./commands/prune.ts";
import { rewrite } from "./commands/rewrite.ts";
import { status } from "./commands/status.ts";
import { repair, undoPrune } from "./commands/undo-prune.ts";
import type { ExitCode } from "./exit-codes.ts";
import { openConnection } from "./open-connection.ts";
import type { Session } from "./session.ts";

const commands = { status, "dry-run": dryRun, rewrite, prune, "undo-prune": undoPrune, repair };

const RECORDED_WITHIN_MS = 5_000;

/** Connects, does what is asked, and lets go of the cluster once what was done is recorded. Gives the exit code. */
export async function runCommand(invocation: ClusterInvocation, { output, stop, program }: Omit<Session, "connection">): Promise<ExitCode> {
  // Standard output is for the result alone.
  logActionsTo(output.log);
  console.error = (...words: unknown[]) => output.log(logLine(words));
  // Who cancels waits for the record; a supervisor kills what takes its time.
  stop.signal.addEventListener("abort", () => stop.kind() === "shut-down" && endRecording(), { once: true });
  for (const told of unknownSettings()) output.notice(`Warning: ${told}`);
  const connection = await openConnection(invocation);
  try {
    return await commands[invocation.command](invocation, { connection, output, stop, program });
  } finally {
    await untilRecorded(AbortSignal.timeout(RECORDED_WITHIN_MS));
    fleetOf(connection).stop();
  }
}

// What the engine logs is a line of JSON; a defect, which it prints as it is, becomes one.
function logLine(words: unknown[]): string {
  const text = words.map((word) => (word instanceof Error ? word.message : String(word))).join(" ");
  const defect = words.find((word) => word instanceof Error);
  return text.startsWith('{"level":') ? text : JSON.stringify({ level: "error", message: text, stack: defect?.stack });
}
