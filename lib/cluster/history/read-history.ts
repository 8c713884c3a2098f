import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readKnownCrd } from "#lib/cluster/fleet/read-known-crd.ts";
import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { EventsRead, History } from "#lib/contract/rewrite/history.ts";
import { type HistoryFact, mergeHistory, newestEntries, rememberedFacts } from "#lib/domain/audit/history.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { REMEMBERED_RUNS, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { EVENTS_NAMESPACE, listEvents } from "./events.ts";

/**
 * Anyone may write any number of Events, so reading stops after `events` or `withinMs`, and at most `told` entries known only from
 * Events are returned. crdshift writes a handful per rewrite.
 */
const BOUNDS = { events: 5_000, told: 500, withinMs: 10_000 };
/** Each has its Events in memory until the last is read: 10 MiB of the longest. */
const MOST_AT_ONCE = 8;

/**
 * What crdshift did to a definition, from its annotation and from the Events that can be read, one history of a person at a time.
 * `person` is who asks, if several use this connection. Throws AppError not_found.
 */
export async function readHistory(
  connection: Connection,
  crdName: string,
  signal: AbortSignal,
  { person = connection.person(), bounds = BOUNDS } = {},
): Promise<History> {
  const turns = processWide("histories", () => noTurns(MOST_AT_ONCE));
  return inTurn(turns, { person, mostAtWork: 1 }, signal, () => read(connection, crdName, signal, bounds));
}

async function read(connection: Connection, crdName: string, signal: AbortSignal, bounds: typeof BOUNDS): Promise<History> {
  const crd = await readKnownCrd(connection, crdName, signal);
  const { facts, events } = await readEvents(connection, crd, { most: bounds.events, withinMs: bounds.withinMs, signal });
  return {
    ...newestEntries(mergeHistory(rememberedFacts(crd, Date.now()), facts), bounds.told),
    annotation: {
      ...{ readable: crd.record !== "unreadable", runs: readableRecord(crd)?.runs.length ?? 0 },
      mostRuns: REMEMBERED_RUNS,
    },
    events,
    asOf: new Date().toISOString(),
  };
}

// The annotation's history is returned even if Events can't be read; `events` then says why.
async function readEvents(
  connection: Connection,
  crd: Crd,
  options: { most: number; withinMs: number; signal: AbortSignal },
): Promise<{ facts: HistoryFact[]; events: EventsRead }> {
  try {
    const { facts, complete } = await listEvents(connection, crd, options);
    const times = facts.map(({ at }) => at).sort();
    return { facts, events: { state: "read", count: facts.length, oldest: times[0] ?? null, complete } };
  } catch (error) {
    options.signal.throwIfAborted();
    const message = (isAppError(error) && error.clusterMessage) || errorMessage(error);
    if (!isAppError(error) || error.code !== "forbidden") return { facts: [], events: { state: "failed", message } };
    return { facts: [], events: { state: "denied", verb: "list", resource: "events", namespace: EVENTS_NAMESPACE, message } };
  }
}
