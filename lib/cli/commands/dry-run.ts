import { checkedOptions } from "#lib/cli/arguments/checked-options.ts";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { describeDryRun } from "#lib/cli/describe/describe-dry-run.ts";
import { type ExitCode, exitCodeOfDryRun, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { startDryRunSchema } from "#lib/contract/rewrite/dry-run.ts";
import { cancelDryRun, findDryRun, watchDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";

/** Runs `dry-run` from start to end. When this returns, the findings are in the definition's annotation. */
export async function dryRun(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const { connection, output, stop, program } = context;
  const options = checkedOptions(invocation, startDryRunSchema, program);
  const name = await findDefinition(invocation, context);
  const { id } = await startDryRun(connection, name, { ...options, signal: stop.signal });
  try {
    const changes = watchDryRun(connection.audience, name, id, { once: false });
    for await (const data of changes(stop.signal)) output.progress({ event: "dry-run", data });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    output.notice("Cancelling the dry run.");
    // It may have just ended.
    await cancelDryRun(connection.audience, name, id).catch(() => {});
  }
  const known = findDryRun(connection.audience, name, id);
  await known.ended;
  await output.result(known.current, describeDryRun(known.current));
  if (known.current.phase === "cancelled" && stop.kind() === "shut-down") return exitCodes.terminated;
  return exitCodeOfDryRun(known.current);
}
