import { checkedOptions } from "#lib/cli/arguments/checked-options.ts";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import { describePreflight } from "#lib/cli/describe/describe-dry-run.ts";
import { type ExitCode, exitCodeOfPreflight, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import type { Session } from "#lib/cli/session.ts";
import { startPreflightSchema } from "#lib/contract/rewrite/dry-run.ts";
import { cancelPreflight, findPreflight } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startPreflight } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { watchPreflight } from "#lib/rewrite/dry-run/watch-dry-run.ts";

/** `preflight`: a dry run from its start to its end. What it found is in the definition's annotation when this returns. */
export async function preflight(invocation: ClusterInvocation, session: Session): Promise<ExitCode> {
  const { connection, output, stop, program } = session;
  const options = checkedOptions(invocation, startPreflightSchema, program);
  const name = await findDefinition(invocation, session);
  const { id } = await startPreflight(connection, name, { ...options, signal: stop.signal });
  try {
    const changes = watchPreflight(connection.audience, name, id, { once: false });
    for await (const data of changes(stop.signal)) output.progress({ event: "preflight", data });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    output.notice("Cancelling the dry run.");
    // It may have come to its end just now.
    await cancelPreflight(connection.audience, name, id).catch(() => {});
  }
  const known = findPreflight(connection.audience, name, id);
  await known.ended;
  await output.result(known.current, describePreflight(known.current));
  if (known.current.phase === "cancelled" && stop.kind() === "shut-down") return exitCodes.terminated;
  return exitCodeOfPreflight(known.current);
}
