import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteLostVersion } from "#lib/cluster/definitions/evidence/remembered-shrink.ts";
import { summarizeCrd } from "#lib/cluster/definitions/summarize-crd.ts";
import { keepMigrations } from "#lib/cluster/migrations/keep-migrations.ts";
import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import { definitionsDenied } from "#lib/cluster/rights/read-rights.ts";
import { AppError, asksToSignIn, errorMessage } from "#lib/contract/app-error.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { type DefinitionsDenied, definitionsDeniedSchema } from "#lib/contract/rights.ts";
import { conversionFailureIn, lostVersionIn } from "#lib/domain/conversion/conversion-failure.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { conditionAtWork } from "#lib/domain/rewrite/other-engines.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { announceSoon } from "./announce-soon.ts";
import { type FleetFreshness, firstList, keepFreshness } from "./fleet-freshness.ts";
import { followCrds } from "./follow-crds.ts";
import { keepTotals } from "./keep-totals.ts";
import { knownCrds, liveRuns } from "./known-crds.ts";
import { fromNowOn, lastKnown } from "./known-states.ts";
import { noticeRestores } from "./notice-restores.ts";

/** One cluster's definitions, kept up to date by a watch while someone is viewing them. */
export interface Fleet {
  /** Resolves once the definitions are listed. Throws the cluster's error while they can't be. */
  listed(signal: AbortSignal): Promise<void>;
  /** Resolves after the first attempt to list other engines' migrations, whatever its outcome. Throws the signal's reason. */
  lookedForMigrations(signal: AbortSignal): Promise<void>;
  crds(): Crd[];
  /** Those of one group. */
  crdsIn(group: string): Crd[];
  crd(name: string): Crd | null;
  /** The same as the cluster has it, without the state of this process's own run. */
  lastSeen(name: string): Crd | null;
  /** The newest state of this name that any fleet of this cluster knows, or knew when it ended, also if it was deleted. */
  lastKnown(name: string): StateOfDefinition | null;
  total(name: string): CountedTotal;
  freshness(): FleetFreshness;
  /** Whether there are subscribers or followers. */
  isWatched(): boolean;
  /** Whether it has stopped following the cluster, and sends no more events. */
  hasEnded(): boolean;
  /**
   * Sends changes from now on, for people: while many definitions change, one may wait for its turn, and then has what it has become.
   * Returns the function that unsubscribes.
   */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /**
   * Calls back at once for every change of a definition, for work that must stop then: with what it is now, or null once it is gone.
   * Returns the function that unsubscribes.
   */
  follow(crdName: string, onChange: (now: Crd | null) => void): () => void;
  /** Lists the definitions now: what it knows of one is newer than what the cluster has. */
  listAgain(): void;
  /**
   * Call it before a definition is read or written. The function that it returns takes the answer, ahead of the watch, unless a restore was
   * noticed meanwhile: the answer may be from before it, and would pass for the newest.
   */
  beginRead(): (crd: Crd) => void;
  /** Takes a definition that this fleet knows already, to tell of what else is known of it. */
  noteCrd(crd: Crd): void;
  /** Takes this process's own run between two renewals; null once the annotation is up to date. */
  noteRun(crdName: string, run: Run | null): void;
  /** Stops asking the cluster; what is known and noted stays. */
  silence(): void;
  /** Stops following the cluster and forgets everything; the next fleetOf starts over. */
  stop(): void;
  /** Stops because the cluster rejected the credentials, and fails all waiting calls. What other parts of this process need stays. */
  refuse(error: unknown): void;
  /** Aborts with the error once the credentials are rejected, for work that uses them. */
  readonly refused: AbortSignal;
}

/** How long a request counts as someone viewing. */
const WANTED_MS = 60_000;
const IDLE_AFTER_MS = 10 * 60_000;
/** Nothing new uses a connection that was pushed out. */
const PUSHED_OUT_IDLE_AFTER_MS = 5_000;
const TICK_MS = 1_000;

/**
 * The fleet of a connection; it follows the cluster from the first call until ten minutes after the last, or five seconds once the
 * connection is pushed out.
 */
export function fleetOf(connection: Connection): Fleet {
  const fleets = allFleets();
  const known = fleets.get(connection);
  if (known) return known;
  const stop = new AbortController();
  const fleet = startFleet(connection, stop.signal, () => {
    fleets.delete(connection);
    stop.abort(new Error("no one is viewing this cluster any more"));
  });
  fleets.set(connection, fleet);
  return fleet;
}

/**
 * Discards a connection whose credentials the cluster rejected: the next connect makes a new one. Its fleet ends now, not after ten
 * minutes without viewers, and so do the runs that use the connection.
 */
export function forgetRefused(connection: Connection, error: unknown): void {
  connection.discard();
  allFleets().get(connection)?.refuse(error);
}

/** For shutdown: stops all requests from this process's fleets. */
export function silenceFleets(): void {
  for (const fleet of allFleets().values()) fleet.silence();
}

/**
 * How long the watch of definitions has been silent, in ms: the longest of all fleets being viewed, or 0 if there are none. Fleets
 * that were never listed don't count: missing permissions are not an outage.
 */
export function longestSilence(): number {
  const seen = [...allFleets().values()].filter((fleet) => fleet.isWatched() && fleet.freshness().resourceVersion !== "");
  const silences = seen.map((fleet) => Date.now() - Date.parse(fleet.freshness().asOf));
  return Math.max(0, ...silences);
}

function allFleets(): Map<Connection, Fleet> {
  return processWide("fleets", () => new Map());
}

function startFleet(connection: Connection, stopped: AbortSignal, stop: () => void): Fleet {
  const silenced = new AbortController();
  const refused = new AbortController();
  const signal = AbortSignal.any([stopped, silenced.signal]);
  const listeners = new Set<(event: ServerEvent) => void>();
  const emit = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };
  const followers = new Set<(crdName: string, now: Crd | null) => void>();
  const tellFollowers = (crdName: string, now: Crd | null) => {
    for (const follower of followers) follower(crdName, now);
  };
  const isWatched = () => listeners.size + followers.size > 0;
  const known = knownCrds(connection);
  const freshness = keepFreshness(emit);
  const first = firstList();
  let usedAt = Date.now();
  const isWanted = () => !freshness.current().stale && (isWatched() || Date.now() - usedAt < WANTED_MS);

  const announceToListeners = announceSoon((name) => {
    const crd = known.seen.get(name);
    // It may be gone meanwhile, and so may those who wanted to know.
    if (!crd || listeners.size === 0 || stopped.aborted) return;
    emit({ event: "crd", data: { type: "upserted", item: summarizeCrd(known.current(crd), totals.get(name), Date.now()) } });
  });
  const announce = (crd: Crd) => {
    tellFollowers(crd.name, crd);
    if (listeners.size > 0) announceToListeners(crd.name);
  };
  const counted = (crd: Crd) => {
    const lost = lostVersionIn(totals.get(crd.name).conversionFailure);
    if (lost === null) return announce(crd);
    noteLostVersion(connection, crd.uid, lost);
    retell(crd);
  };
  const totals = keepTotals({ connection, crds: known.seen, isWanted, onChange: counted, signal });
  const migrations = keepMigrations({
    connection,
    isWanted,
    onList(byResource, couldList) {
      for (const crd of known.noteMigrations(byResource, couldList)) announce(crd);
    },
    signal,
  });
  let again = new AbortController();
  const listAgain = () => again.abort(new Error("the definitions have to be listed again"));
  const announceRun = (crd: Crd) => {
    const run = latestRun(known.current(crd), Date.now());
    if (run) emit({ event: "run", data: run });
  };
  const upsert = (crd: Crd) => {
    const change = known.upsert(crd);
    if (!change) {
      if (known.showsRestore(crd)) listAgain();
      return;
    }
    const { before, now } = change;
    if (before?.generation !== now.generation) totals.recountSoon(now.name);
    if (before && conditionAtWork(before) !== conditionAtWork(now)) migrations.refreshSoon();
    announce(now);
    if (renewed(before) !== renewed(now)) announceRun(now);
  };
  // After a restore that another fleet has noticed, what is known here may be from before it.
  const retell = (crd: Crd) => {
    if (known.isCurrent()) upsert(crd);
  };
  const remove = (name: string, resourceVersion: string | null) => {
    if (!known.remove(name, resourceVersion)) return;
    totals.forget(name);
    tellFollowers(name, null);
    emit({ event: "crd", data: { type: "deleted", item: { name } } });
  };

  const restores = noticeRestores(connection, known);
  const heard = (resourceVersion: string) => {
    freshness.heard(resourceVersion);
    known.heard(resourceVersion);
  };

  // No other token replaces a rejected one, so every further attempt would fail.
  const refuse = (error: unknown) => {
    freshness.stale(errorMessage(error), false);
    first.failed(error);
    stop();
    refused.abort(error);
  };

  const following = followCrds(
    connection,
    {
      beginList() {
        const look = restores.beginList();
        return (list, resourceVersion) => {
          const elsewhere = look(list, resourceVersion);
          if (elsewhere === "too-late") return false;
          const listed = new Set(list.map(({ name }) => name));
          for (const name of known.seen.keys()) if (!listed.has(name)) remove(name, elsewhere ? null : resourceVersion);
          if (elsewhere) restores.take(elsewhere, list);
          for (const crd of list) upsert(crd);
          heard(resourceVersion);
          first.succeeded();
          return true;
        };
      },
      onChange(change) {
        heard(change.resourceVersion);
        if (change.type === "upserted") upsert(change.crd);
        if (change.type === "deleted") remove(change.name, change.resourceVersion);
      },
      onFresh: freshness.fresh,
      onStale(error) {
        if (asksToSignIn(error)) return refuse(error);
        const denied = definitionsDenied(error);
        freshness.stale(errorMessage(denied ?? error), denied !== null);
        if (denied && deniedVerb(denied) === "list") known.listDenied();
        if (known.seen.size === 0) first.failed(denied ?? error);
      },
      retryNow: first.retryWanted,
      listAgain() {
        if (again.signal.aborted) again = new AbortController();
        return again.signal;
      },
      isWanted,
    },
    signal,
  );
  const anyLiveRun = liveRuns(known, (crd) => {
    announce(crd);
    announceRun(crd);
  });
  const tick = async () => {
    for (;;) {
      await sleep(TICK_MS, signal);
      const isLive = anyLiveRun();
      if (known.isOutdated()) listAgain();
      const isPushedOut = connection.isPushedOut();
      // Nobody new may take the place of those who read its events, or have a run.
      if (isWatched() || known.hasOwnRuns()) connection.touch();
      if (isWatched() && !isPushedOut) usedAt = Date.now();
      const isBusy = isPushedOut ? known.hasOwnRuns() : isLive;
      if (Date.now() - usedAt <= (isPushedOut ? PUSHED_OUT_IDLE_AFTER_MS : IDLE_AFTER_MS) || isBusy) continue;
      // Whoever still waits for the first list gets no other answer.
      first.failed(neverListed(isPushedOut));
      return stop();
    }
  };
  // Both end only on abort, which nothing waits for.
  for (const endless of [following, tick()]) endless.catch(() => {});

  return {
    async listed(requestSignal) {
      usedAt = Date.now();
      const { stale, resourceVersion } = freshness.current();
      if (known.seen.size === 0 && (stale || !resourceVersion)) await first.wait(requestSignal);
    },
    lookedForMigrations: (requestSignal) => untilAborted(migrations.looked, AbortSignal.any([requestSignal, signal])),
    crds: () => [...known.seen.values()].map(known.current),
    crdsIn: (group) => [...known.seen.values()].filter((crd) => crd.group === group).map(known.current),
    crd(name) {
      usedAt = Date.now();
      const crd = known.seen.get(name);
      return crd ? known.current(crd) : null;
    },
    lastSeen: (name) => known.seen.get(name) ?? null,
    lastKnown: (name) => lastKnown(connection, name),
    total: totals.get,
    freshness: freshness.current,
    isWatched,
    hasEnded: () => stopped.aborted,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow(crdName, onChange) {
      const follower = (name: string, now: Crd | null) => {
        if (name === crdName) onChange(now);
      };
      followers.add(follower);
      return () => followers.delete(follower);
    },
    listAgain,
    silence: () => silenced.abort(new Error("crdshift is shutting down")),
    beginRead() {
      const isStill = fromNowOn(connection);
      return (crd) => {
        if (isStill()) upsert(crd);
      };
    },
    noteCrd: retell,
    noteRun(crdName, run) {
      const seen = known.seen.get(crdName);
      const before = seen ? latestRun(known.current(seen), Date.now()) : null;
      known.noteRun(crdName, run);
      // Objects can be converted again, which a failed count would still deny.
      if (failsToConvert(before) && !failsToConvert(run)) totals.recountSoon(crdName);
      if (run) emit({ event: "run", data: run });
      if (seen) announce(seen);
    },
    stop() {
      known.forget();
      stop();
    },
    refuse,
    refused: refused.signal,
  };
}

function deniedVerb({ details }: AppError): DefinitionsDenied["verb"] {
  return definitionsDeniedSchema.parse(details).definitionsDenied.verb;
}

function neverListed(isPushedOut: boolean): AppError {
  if (isPushedOut) return new AppError("conflict", "Other sign-ins took this one's place.", { nextStep: "Reload the page." });
  return new AppError("cluster_timeout", "The cluster didn't list its definitions within ten minutes.", {
    nextStep: "Check whether the API server answers (kubectl get crd), then reload the page.",
  });
}

// Changes with every write that a run's holder makes, in this process or another.
function renewed(crd: Crd | null): string | undefined {
  return (crd && readableRecord(crd)?.runs[0]?.renewedAt) ?? undefined;
}

function failsToConvert(run: Run | null): boolean {
  return conversionFailureIn(run?.statusReason ?? null) !== null;
}
