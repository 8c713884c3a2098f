import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { errorMessage } from "#lib/contract/app-error.ts";
import type { EventData, ServerEvent } from "#lib/contract/events.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { compareResourceVersions } from "#lib/domain/resource-version.ts";
import { isLive, latestRun, type Run, readableRecord } from "#lib/domain/rewrite.ts";
import { leftoverVersions } from "#lib/domain/stored-versions.ts";
import { processWide } from "#lib/process-wide.ts";
import type { Connection } from "./connection.ts";
import { followCrds } from "./follow-crds.ts";
import { readMetricTotals } from "./metric-totals.ts";
import { type CountedTotal, countTotals, UNCOUNTED } from "./object-totals.ts";
import { summariseCrd } from "./summarise-crd.ts";

/** What is known of one cluster's definitions, kept up to date by a watch while somebody looks. */
export interface Fleet {
  /** Resolves once the definitions are listed. Throws the cluster's error while they can't be. */
  listed(signal: AbortSignal): Promise<void>;
  crds(): Crd[];
  crd(name: string): Crd | null;
  total(name: string): CountedTotal;
  status(): FleetStatus;
  /** Everything that changes from now on. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /** What this process knows better than its watch: a definition that it has just written … */
  noteCrd(crd: Crd): void;
  /** … and a run of its own, between two renewals; null when the annotation says it all again. */
  noteRun(crdName: string, run: Run | null): void;
  /** Lets go of the cluster; the next fleetOf begins anew. */
  stop(): void;
}

export interface FleetStatus extends EventData<"status"> {
  resourceVersion: string;
  asOf: string;
}

const TOTAL_FRESH_MS = 60_000;
const LEFTOVERS_TOTAL_FRESH_MS = 10_000;
const IDLE_AFTER_MS = 10 * 60_000;
const TICK_MS = 1_000;

/** The fleet behind a connection; it begins to follow the cluster with the first call and stops ten minutes after the last. */
export function fleetOf(connection: Connection): Fleet {
  const fleets = processWide("fleets", () => new Map<Connection, Fleet>());
  const known = fleets.get(connection);
  if (known) return known;
  const stop = new AbortController();
  const fleet = startFleet(connection, stop.signal, () => {
    fleets.delete(connection);
    stop.abort(new Error("nobody looks at this cluster any more"));
  });
  fleets.set(connection, fleet);
  return fleet;
}

function startFleet(connection: Connection, signal: AbortSignal, stop: () => void): Fleet {
  const crds = new Map<string, Crd>();
  const totals = new Map<string, CountedTotal>();
  const triedAt = new Map<string, number>();
  const runs = new Map<string, Run>();
  const listeners = new Set<(event: ServerEvent) => void>();
  let status: FleetStatus = { stale: true, since: null, message: null, resourceVersion: "", asOf: new Date().toISOString() };
  let usedAt = Date.now();
  let firstList = Promise.withResolvers<void>();
  let listError: unknown = null;
  let retry = Promise.withResolvers<void>();

  const emit = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };
  const withRun = (crd: Crd): Crd => {
    const run = runs.get(crd.name);
    const record = readableRecord(crd);
    if (!run || record?.runs[0]?.id !== run.id) return crd;
    return { ...crd, record: { ...record, runs: [run, ...record.runs.slice(1)] } };
  };
  const announce = (crd: Crd) => {
    if (listeners.size === 0) return;
    emit({ event: "crd", data: { type: "upserted", item: summariseCrd(withRun(crd), totals.get(crd.name) ?? UNCOUNTED, Date.now()) } });
  };
  const announceRun = (crd: Crd) => {
    const run = latestRun(withRun(crd), Date.now());
    if (run) emit({ event: "run", data: run });
  };
  const setStatus = (stale: boolean, message: string | null) => {
    const now = new Date().toISOString();
    const changed = status.stale !== stale || status.message !== message;
    status = {
      ...status,
      stale,
      message,
      since: stale ? (status.stale ? (status.since ?? now) : now) : null,
      asOf: stale ? status.asOf : now,
    };
    if (changed) emit({ event: "status", data: { stale, since: status.since, message } });
  };
  const upsert = (crd: Crd) => {
    const known = crds.get(crd.name);
    // Our own write may have been noted before the watch delivers something older.
    if (known?.uid === crd.uid && compareResourceVersions(crd.resourceVersion, known.resourceVersion) < 0) return;
    crds.set(crd.name, crd);
    if (known?.generation !== crd.generation) triedAt.delete(crd.name);
    announce(crd);
    if (renewed(known) !== renewed(crd)) announceRun(crd);
  };
  const remove = (name: string) => {
    if (!crds.delete(name)) return;
    totals.delete(name);
    triedAt.delete(name);
    emit({ event: "crd", data: { type: "deleted", item: { name } } });
  };

  const follow = followCrds(
    connection,
    {
      onList(list, resourceVersion) {
        const names = new Set(list.map((crd) => crd.name));
        for (const name of crds.keys()) if (!names.has(name)) remove(name);
        for (const crd of list) upsert(crd);
        status.resourceVersion = resourceVersion;
        listError = null;
        firstList.resolve();
      },
      onChange(change) {
        status = { ...status, resourceVersion: change.resourceVersion, asOf: new Date().toISOString() };
        if (change.type === "upserted") upsert(change.crd);
        if (change.type === "deleted") remove(change.name);
      },
      onFresh: () => setStatus(false, null),
      onStale(error) {
        setStatus(true, errorMessage(error));
        if (crds.size > 0) return;
        listError = error;
        firstList.reject(error);
        firstList = Promise.withResolvers();
        firstList.promise.catch(() => {});
      },
      retryNow: () => retry.promise,
    },
    signal,
  );

  // One look at the metrics, for the first paint; the exact counts replace them as they arrive.
  const paintTotals = async () => {
    await firstList.promise;
    const asOf = new Date().toISOString();
    for (const [name, total] of await readMetricTotals(connection, signal)) {
      const crd = crds.get(name);
      if (!crd || totals.has(name)) continue;
      totals.set(name, { ...UNCOUNTED, total, basis: "metrics", asOf });
      announce(crd);
    }
  };
  const keepFresh = async () => {
    const live = new Set<string>();
    for (;;) {
      await sleep(TICK_MS, signal);
      // A run whose holder falls silent changes the state with nothing written.
      for (const crd of crds.values()) {
        const run = latestRun(withRun(crd), Date.now());
        if (run && isLive(run)) live.add(crd.name);
        else if (live.delete(crd.name)) {
          announce(crd);
          announceRun(crd);
        }
      }
      if (listeners.size > 0) usedAt = Date.now();
      if (Date.now() - usedAt > IDLE_AFTER_MS && live.size === 0) return stop();
      if (Date.now() - usedAt > TOTAL_FRESH_MS || status.stale) continue;
      const due = [...crds.values()].filter((crd) => Date.now() - (triedAt.get(crd.name) ?? 0) > freshFor(crd));
      await countTotals(connection, due, signal, (crd, total) => {
        const before = totals.get(crd.name);
        triedAt.set(crd.name, Date.now());
        // A passing failure must not hide the last good count; its age says how old it is.
        if (before?.basis === "list" && total.basis === "failed" && !total.conversionFailure) return;
        totals.set(crd.name, total);
        const current = crds.get(crd.name);
        if (current && (before?.total !== total.total || before?.basis !== total.basis)) announce(current);
      });
    }
  };
  // Not everybody may read metrics; the counts do without.
  paintTotals().catch(() => {});
  // Both end only with the abort, which nobody waits for.
  follow.catch(() => {});
  keepFresh().catch(() => {});
  firstList.promise.catch(() => {});

  return {
    async listed(requestSignal) {
      usedAt = Date.now();
      if (crds.size > 0 || (!status.stale && status.resourceVersion)) return;
      const waiting = firstList.promise;
      if (listError) {
        retry.resolve();
        retry = Promise.withResolvers();
      }
      await untilAborted(waiting, requestSignal);
    },
    crds: () => [...crds.values()].map(withRun),
    crd: (name) => {
      usedAt = Date.now();
      const crd = crds.get(name);
      return crd ? withRun(crd) : null;
    },
    total: (name) => totals.get(name) ?? UNCOUNTED,
    status: () => status,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    noteCrd: upsert,
    stop,
    noteRun(crdName, run) {
      if (run) runs.set(crdName, run);
      else runs.delete(crdName);
      if (run) emit({ event: "run", data: run });
      const crd = crds.get(crdName);
      if (crd) announce(crd);
    },
  };
}

// The few that somebody may be about to work on are counted more often.
function freshFor(crd: Crd): number {
  return leftoverVersions(crd).length > 0 ? LEFTOVERS_TOTAL_FRESH_MS : TOTAL_FRESH_MS;
}

// What changes with everything that a holder writes about its run, this process or another.
function renewed(crd: Crd | undefined): string | undefined {
  return crd && readableRecord(crd)?.runs[0]?.renewedAt;
}
