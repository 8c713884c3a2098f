import { sleep } from "#lib/async/sleep.ts";
import type { ClusterInvocation } from "#lib/cli/arguments/parse-arguments.ts";
import type { CommandContext } from "#lib/cli/command-context.ts";
import { describeDefinition } from "#lib/cli/describe/describe-definition.ts";
import { describeFleet } from "#lib/cli/describe/describe-fleet.ts";
import { unreadWarning } from "#lib/cli/describe/unread-warning.ts";
import { type ExitCode, exitCodeOfFleet, exitCodeOfState, exitCodes } from "#lib/cli/exit-codes.ts";
import { findDefinition } from "#lib/cli/find-definition.ts";
import { tryCountManagedFields } from "#lib/cli/try-count-managed-fields.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { listSummaries } from "#lib/cluster/fleet/list-summaries.ts";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import { unreadEngines } from "#lib/domain/rewrite/unread-engines.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";

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
    const [waited] = await Promise.all([untilKnown(context, [name], COUNT_ONE_WITHIN_MS), tryCountManagedFields(connection, name, signal)]);
    const crd = await readDetail(connection, name, signal);
    const missed = { ...waited, engines: crd.otherEngines };
    tellMissed(context, missed);
    await output.result(crd, describeDefinition(crd, program, Date.now()));
    return withCode ? exitCodeOf(exitCodeOfState(crd.state), missed) : exitCodes.done;
  }
  const listed = await listSummaries(connection, signal);
  const names = listed.items.map(({ name }) => name);
  const waited = await untilKnown(context, names, COUNT_ALL_WITHIN_MS);
  const fleet = await listSummaries(connection, signal);
  const missed = { ...waited, engines: fleet.otherEngines };
  tellMissed(context, missed);
  await output.result(fleet, describeFleet(fleet));
  return withCode ? exitCodeOf(exitCodeOfFleet(fleet.items), missed) : exitCodes.done;
}

/** What the states depend on, as far as somebody could look at it in time. */
interface Missed {
  withinMs: number;
  /** Definitions whose objects weren't counted. */
  uncounted: number;
  engines: OtherEngines;
}

// Waits for object counts and other engines' migrations, as the state depends on both. Slow answers stay unknown.
async function untilKnown(context: CommandContext, names: readonly string[], withinMs: number): Promise<Omit<Missed, "engines">> {
  const { connection, stop } = context;
  const { signal } = stop;
  const looked = fleetOf(connection)
    .lookedForMigrations(AbortSignal.any([signal, AbortSignal.timeout(withinMs)]))
    .catch(() => signal.throwIfAborted());
  const [uncounted] = await Promise.all([untilCounted(context, names, withinMs), looked]);
  return { withinMs, uncounted };
}

function tellMissed({ connection, output }: CommandContext, { withinMs, uncounted, engines }: Missed): void {
  const { stale, message } = fleetOf(connection).freshness();
  if (stale) output.notice(`Warning: the definitions may have changed since they were listed. ${message ?? ""}`.trim());
  const within = formatDuration(withinMs);
  if (uncounted > 0) output.notice(`Warning: the objects of ${formatCountOf(uncounted, "definition")} weren't counted within ${within}.`);
  const when = { within, now: Date.now() };
  for (const engine of unreadEngines(engines)) output.notice(unreadWarning(engine, engines[engine], when));
}

// What was missed could make any state of a current one.
function exitCodeOf(code: ExitCode, { uncounted, engines }: Missed): ExitCode {
  return code === exitCodes.done && (uncounted > 0 || unreadEngines(engines).length > 0) ? exitCodes.unknown : code;
}

const LOOK_EVERY_MS = 50;
/** Nobody wonders before. */
const SILENT_MS = 1_000;

/**
 * Waits until the objects of these definitions are counted, or can't be, or until the time is up: then the rest stays unknown. Returns the
 * number of the rest. Throws the signal's reason.
 */
async function untilCounted({ connection, output, stop }: CommandContext, names: readonly string[], withinMs: number): Promise<number> {
  const fleet = fleetOf(connection);
  const startedAt = performance.now();
  // What was tried, and can't be counted, stays unknown.
  const isOpen = (name: string) => {
    const { basis, asOf } = fleet.total(name);
    return fleet.crd(name) !== null && (basis === "metrics" || asOf === null);
  };
  for (;;) {
    const open = names.filter(isOpen).length;
    const waitedMs = performance.now() - startedAt;
    if (open === 0 || waitedMs >= withinMs) return open;
    const definitions = names.length;
    if (waitedMs > SILENT_MS) output.progress({ event: "counting", data: { phase: "counting", counted: definitions - open, definitions } });
    await sleep(LOOK_EVERY_MS, stop.signal);
  }
}
