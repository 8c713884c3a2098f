import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { errorMessage } from "#lib/contract/app-error.ts";
import type { EventData, ServerEvent } from "#lib/contract/events.ts";
import type { Crd } from "#lib/domain/crd.ts";
import { compareResourceVersions } from "#lib/domain/resource-version.ts";
import { isLive, latestRun, type Run, readableRecord } from "#lib/domain/rewrite.ts";
import { processWide } from "#lib/process-wide.ts";
import type { Connection } from "./connection.ts";
import { followCrds } from "./follow-crds.ts";
import { keepTotals } from "./keep-totals.ts";
import type { CountedTotal } from "./object-totals.ts";
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

/** How long after a request somebody still counts as looking. */
const WANTED_MS = 60_000;
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
  const runs = new Map<string, Run>();
  const listeners = new Set<(event: ServerEvent) => void>();
  let status: FleetStatus = { stale: false, since: null, message: null, resourceVersion: "", asOf: new Date().toISOString() };
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
    emit({ event: "crd", data: { type: "upserted", item: summariseCrd(withRun(crd), totals.get(crd.name), Date.now()) } });
  };
  const isWanted = () => !status.stale && (listeners.size > 0 || Date.now() - usedAt < WANTED_MS);
  const totals = keepTotals({ connection, crds, isWanted, onChange: (crd) => announce(crd), signal });
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
    if (known?.generation !== crd.generation) totals.recountSoon(crd.name);
    announce(crd);
    if (renewed(known) !== renewed(crd)) announceRun(crd);
  };
  const remove = (name: string) => {
    if (!crds.delete(name)) return;
    totals.forget(name);
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

  // A run whose holder falls silent changes the state with nothing written; and a fleet that nobody looks at ends.
  const watchTheClock = async () => {
    const live = new Set<string>();
    for (;;) {
      await sleep(TICK_MS, signal);
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
    }
  };
  // Both end only with the abort, which nobody waits for.
  follow.catch(() => {});
  watchTheClock().catch(() => {});
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
    total: (name) => totals.get(name),
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

// What changes with everything that a holder writes about its run, this process or another.
function renewed(crd: Crd | undefined): string | undefined {
  return crd && readableRecord(crd)?.runs[0]?.renewedAt;
}
