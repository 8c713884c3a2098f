import { checkedOptions } from "#lib/cli/checked-options.ts";
import { describePreflight } from "#lib/cli/describe-preflight.ts";
import { type ExitCode, exitCodeOfPreflight, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import type { ClusterInvocation } from "#lib/cli/parse-arguments.ts";
import type { Session } from "#lib/cli/session.ts";
import { startPreflightSchema } from "#lib/contract/preflight.ts";
import { cancelPreflight } from "#lib/rewrite/preflight/cancel-preflight.ts";
import { findPreflight } from "#lib/rewrite/preflight/preflights.ts";
import { startPreflight } from "#lib/rewrite/preflight/start-preflight.ts";
import { watchPreflight } from "#lib/rewrite/preflight/watch-preflight.ts";

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
