import { errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { EventsRead, History } from "#lib/contract/history.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { type HistoryFact, mergeHistory, rememberedFacts } from "#lib/domain/history.ts";
import { REMEMBERED_RUNS, readableRecord } from "#lib/domain/rewrite.ts";
import type { Connection } from "./connection.ts";
import { EVENTS_NAMESPACE, listEvents } from "./events.ts";
import { knownCrd } from "./read-runs.ts";

/** What crdshift did to a definition, from its annotation and from Events as far as they may be read. Throws AppError not_found. */
export async function readHistory(connection: Connection, crdName: string, signal: AbortSignal): Promise<History> {
  const crd = await knownCrd(connection, crdName, signal);
  const { facts, events } = await readEvents(connection, crd, signal);
  return {
    items: mergeHistory(rememberedFacts(crd, Date.now()), facts),
    annotation: {
      ...{ readable: crd.record !== "unreadable", runs: readableRecord(crd)?.runs.length ?? 0 },
      mostRuns: REMEMBERED_RUNS,
    },
    events,
    asOf: new Date().toISOString(),
  };
}

// The annotation is told in any case; what the Events lack is said.
async function readEvents(connection: Connection, crd: Crd, signal: AbortSignal): Promise<{ facts: HistoryFact[]; events: EventsRead }> {
  try {
    const { facts, complete } = await listEvents(connection, crd, signal);
    const times = facts.map(({ at }) => at).sort();
    return { facts, events: { state: "read", count: facts.length, oldest: times[0] ?? null, complete } };
  } catch (error) {
    signal.throwIfAborted();
    const message = (isAppError(error) && error.clusterMessage) || errorMessage(error);
    if (!isAppError(error) || error.code !== "forbidden") return { facts: [], events: { state: "failed", message } };
    return { facts: [], events: { state: "denied", verb: "list", resource: "events", namespace: EVENTS_NAMESPACE, message } };
  }
}
