import { sleep } from "#lib/async/sleep.ts";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { describeDefinition } from "#lib/cli/describe/describe-definition.ts";
import { describeFleet } from "#lib/cli/describe/describe-fleet.ts";
import { type ExitCode, exitCodeOfFleet, exitCodeOfState, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { tryCountManagedFields } from "#lib/cli/try-count-managed-fields.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";

const COUNT_ONE_WITHIN_MS = 5_000;
const COUNT_ALL_WITHIN_MS = 20_000;

/** Runs `status` for one definition or all. */
export async function status(invocation: ClusterInvocation, context: CommandContext): Promise<ExitCode> {
  const { connection, output, stop, program } = context;
  const { signal } = stop;
  const withCode = invocation.options["exit-code"] === true;
  if (invocation.definition) {
    const name = await findDefinition(invocation, context);
    await readDetail(connection, name, signal);
    await Promise.all([untilKnown(connection, [name], COUNT_ONE_WITHIN_MS, signal), tryCountManagedFields(connection, name, signal)]);
    const crd = await readDetail(connection, name, signal);
    await output.result(crd, describeDefinition(crd, program, Date.now()));
    return withCode ? exitCodeOfState(crd.state) : exitCodes.done;
  }
  const listed = await listSummaries(connection, signal);
  const names = listed.items.map(({ name }) => name);
  await untilKnown(connection, names, COUNT_ALL_WITHIN_MS, signal);
  const fleet = await listSummaries(connection, signal);
  await output.result(fleet, describeFleet(fleet));
  return withCode ? exitCodeOfFleet(fleet.items) : exitCodes.done;
}

// Waits for object counts and other engines' migrations, as the state depends on both. Slow answers stay unknown.
async function untilKnown(connection: Connection, names: readonly string[], withinMs: number, signal: AbortSignal): Promise<void> {
  const looked = fleetOf(connection).lookedForMigrations(AbortSignal.any([signal, AbortSignal.timeout(withinMs)]));
  await Promise.all([untilCounted(connection, names, { withinMs, signal }), looked.catch(() => signal.throwIfAborted())]);
}

const LOOK_EVERY_MS = 50;

/**
 * Waits until the objects of these definitions are counted, or can't be, or until the time is up: then the rest stays unknown.
 * Throws the signal's reason.
 */
async function untilCounted(
  connection: Connection,
  names: readonly string[],
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<void> {
  const fleet = fleetOf(connection);
  const giveUpAt = performance.now() + withinMs;
  // What was tried, and can't be counted, stays unknown.
  const isOpen = (name: string) => {
    const { basis, asOf } = fleet.total(name);
    return basis === "metrics" || asOf === null;
  };
  while (names.some(isOpen) && performance.now() < giveUpAt) await sleep(LOOK_EVERY_MS, signal);
}
