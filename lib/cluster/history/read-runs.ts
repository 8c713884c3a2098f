import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { knownCrd } from "#lib/cluster/fleet/known-crd.ts";
import { readServerVersion } from "#lib/cluster/transport/discovery.ts";
import { crdshiftVersion } from "#lib/cluster/transport/request.ts";
import { AppError, errorMessage, isAppError } from "#lib/contract/app-error.ts";
import type { EventsRead, History } from "#lib/contract/rewrite/history.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { type HistoryFact, mergeHistory, newestEntries, rememberedFacts } from "#lib/domain/record/history.ts";
import { type RewriteReport, reportOf } from "#lib/domain/record/report.ts";
import { REMEMBERED_RUNS } from "#lib/domain/rewrite/rewrite-record.ts";
import { asOf, type Run } from "#lib/domain/rewrite/run.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { EVENTS_NAMESPACE, listEvents } from "./events.ts";

/** The runs in the definition's annotation, newest first. */
export async function readRuns(connection: Connection, crdName: string, signal: AbortSignal): Promise<Run[]> {
  const crd = await knownCrd(connection, crdName, signal);
  return (readableRecord(crd)?.runs ?? []).map((run) => asOf(run, Date.now()));
}

/** One run. Throws AppError not_found. */
export async function readRun(connection: Connection, crdName: string, runId: string, signal: AbortSignal): Promise<Run> {
  const run = (await readRuns(connection, crdName, signal)).find(({ id }) => id === runId);
  if (run) return run;
  throw noSuchRun(crdName, runId);
}

/** The error for a run that isn't in the annotation. */
export function noSuchRun(crdName: string, runId: string): AppError {
  return new AppError("not_found", `${crdName} has no run ${runId}.`, {
    nextStep: "Only the last five runs are kept. See the definition's page.",
  });
}

/**
 * Everything on record about a run, from a fresh read. Throws AppError not_found if the annotation doesn't have the run, and the
 * cluster's error if the definition can't be read: a report never uses stale data. `dryRuns` add the values of losses.
 */
export async function readReport(
  connection: Connection,
  crdName: string,
  runId: string,
  signal: AbortSignal,
  dryRuns: readonly DryRun[] = [],
): Promise<RewriteReport> {
  await knownCrd(connection, crdName, signal);
  const { crd: fresh } = await readCrd(connection, crdName, signal);
  const fleet = fleetOf(connection);
  fleet.noteCrd(fresh);
  // Adds what this process knows: counts in etcd, versions removed without proof, and its own run between two renewals.
  const crd = fleet.crd(crdName) ?? fresh;
  const record = readableRecord(crd);
  const run = record?.runs.find(({ id }) => id === runId);
  if (!record || !run) throw noSuchRun(crdName, runId);
  const version = await readServerVersion(connection, signal).catch(() => null);
  signal.throwIfAborted();
  const context = {
    madeAt: new Date().toISOString(),
    madeWith: crdshiftVersion,
    cluster: { context: connection.name, server: connection.server, version },
  };
  return reportOf(crd, record, run, context, Date.now(), dryRuns);
}

/**
 * Anyone may write any number of Events, so reading stops after `events` or `withinMs`, and at most `told` entries known only from
 * Events are returned. crdshift writes a handful per rewrite.
 */
const BOUNDS = { events: 5_000, told: 500, withinMs: 10_000 };

/** What crdshift did to a definition, from its annotation and from the Events that can be read. Throws AppError not_found. */
export async function readHistory(connection: Connection, crdName: string, signal: AbortSignal, bounds = BOUNDS): Promise<History> {
  const crd = await knownCrd(connection, crdName, signal);
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
