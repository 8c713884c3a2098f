import { takeUserKey } from "#lib/cluster/definitions/evidence/own-key.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { endRecording, logActionsTo, untilRecorded } from "#lib/rewrite/record/record-action.ts";
import { readEnv, unknownSettings } from "#lib/settings/env.ts";
import type { ClusterInvocation } from "./arguments/parse-arguments.ts";
import { type CommandContext, openConnection } from "./command-context.ts";
import { checkEdits } from "./commands/check-edits.ts";
import { dryRun } from "./commands/dry-run.ts";
import { prune } from "./commands/prune.ts";
import { rewrite } from "./commands/rewrite.ts";
import { status } from "./commands/status.ts";
import { repair, undoPrune } from "./commands/undo-prune.ts";
import type { ExitCode } from "./exit-codes.ts";

const commands = { status, "check-edits": checkEdits, "dry-run": dryRun, rewrite, prune, "undo-prune": undoPrune, repair };

const RECORDED_WITHIN_MS = 5_000;

/** Connects, runs the command, and disconnects once its actions are recorded. Returns the exit code. */
export async function runCommand(
  invocation: ClusterInvocation,
  { output, stop, program }: Omit<CommandContext, "connection">,
): Promise<ExitCode> {
  // Standard output carries only the result.
  logActionsTo(output.log);
  console.error = (...words: unknown[]) => output.log(logLine(words));
  // A cancelling user waits for the record; a supervisor kills slow processes.
  stop.signal.addEventListener("abort", () => stop.kind() === "shut-down" && endRecording(), { once: true });
  for (const told of unknownSettings()) output.notice(`Warning: ${told}`);
  const connection = await openConnection(invocation);
  const keyProblem = takeUserKey(readEnv());
  if (keyProblem) output.notice(`Warning: ${keyProblem}`);
  try {
    return await commands[invocation.command](invocation, { connection, output, stop, program });
  } finally {
    await untilRecorded(AbortSignal.timeout(RECORDED_WITHIN_MS));
    fleetOf(connection).stop();
  }
}

// The engine logs lines of JSON but prints bugs raw; this turns those into JSON too.
function logLine(words: unknown[]): string {
  const text = words.map((word) => (word instanceof Error ? word.message : String(word))).join(" ");
  const defect = words.find((word) => word instanceof Error);
  return text.startsWith('{"level":') ? text : JSON.stringify({ level: "error", message: text, stack: defect?.stack });
}
