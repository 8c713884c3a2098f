import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import { sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteLostVersion } from "#lib/cluster/definitions/evidence/remembered-shrink.ts";
import { summarizeCrd } from "#lib/cluster/definitions/summarize-crd.ts";
import { keepMigrations } from "#lib/cluster/migrations/keep-migrations.ts";
import { definitionsDenied } from "#lib/cluster/rights/read-rights.ts";
import { AppError, asksToSignIn, errorMessage } from "#lib/contract/app-error.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { type DefinitionsDenied, definitionsDeniedSchema } from "#lib/contract/rights.ts";
import { conversionFailureIn, lostVersionIn } from "#lib/domain/conversion/conversion-failure.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { conditionAtWork } from "#lib/domain/rewrite/other-engines.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { announceSoon } from "./announce-soon.ts";
import type { Fleet } from "./fleet.ts";
import { firstList, keepFreshness } from "./fleet-freshness.ts";
import { followCrds } from "./follow-crds.ts";
import { keepTotals } from "./keep-totals.ts";
import { knownCrds, liveRuns } from "./known-crds.ts";
import { fromNowOn, lastKnown } from "./known-states.ts";
import { noticeRestores } from "./notice-restores.ts";

/** How long a request counts as someone viewing. */
const WANTED_MS = 60_000;
const IDLE_AFTER_MS = 10 * 60_000;
/** Nothing new uses a connection that was pushed out. Whoever still reads gets some time. */
const PUSHED_OUT_READ_FOR_MS = 5_000;
const TICK_MS = 1_000;

/**
 * Starts to follow a connection's cluster, until `stopped` aborts. `stop` is called once nobody has viewed it for ten minutes. Once the
 * connection is pushed out, it is called within a second, or five while somebody reads its events.
 */
export function startFleet(connection: Connection, stopped: AbortSignal, stop: () => void): Fleet {
  const silenced = new AbortController();
  const refused = new AbortController();
  const signal = AbortSignal.any([stopped, silenced.signal]);
  const listeners = new Set<(event: ServerEvent) => void>();
  const emit = (event: ServerEvent) => {
    for (const listener of listeners) listener(event);
  };
  const followers = new Map<string, Set<(now: Crd | null) => void>>();
  const tellFollowers = (crdName: string, now: Crd | null) => {
    for (const follower of [...(followers.get(crdName) ?? [])]) follower(now);
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
  }, connection.person);
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
    onEngines: (engines) => emit({ event: "engines", data: engines }),
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
    if (before && before.uid !== now.uid) totals.forget(now.name);
    else if (before?.generation !== now.generation) totals.recountSoon(now.name);
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
        return async (list, resourceVersion) => {
          const elsewhere = look(list, resourceVersion);
          if (elsewhere === "too-late") return false;
          const listed = new Set(list.map(({ name }) => name));
          for (const name of known.seen.keys()) if (!listed.has(name)) remove(name, elsewhere ? null : resourceVersion);
          if (elsewhere) restores.take(elsewhere, list);
          const isStill = fromNowOn(connection);
          // Work that must stop when a definition changes doesn't wait for turns. And what is forgotten is there again before anyone asks.
          const { urgent = [], others = [] } = Object.groupBy(list, ({ name }) => (elsewhere || followers.has(name) ? "urgent" : "others"));
          for (const crd of urgent) upsert(crd);
          // Another fleet may notice a restore meanwhile, and this list be from before it.
          await mapInShortTurns(others, (crd) => void (isStill() && upsert(crd)), { person: connection.person(), signal });
          if (!isStill()) return false;
          heard(resourceVersion);
          listDenial = null;
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
        if (denied && deniedVerb(denied) === "list") {
          listDenial = denied;
          known.listDenied();
        }
        if (!hasListed() || known.seen.size === 0) first.failed(denied ?? error);
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
  const hasListed = () => freshness.current().resourceVersion !== "";
  let listDenial: AppError | null = null;
  // A definition that was read or written by itself is no list. Whoever may not list sees those all the same.
  const isEnough = () => (hasListed() && !freshness.current().stale) || ((hasListed() || listDenial) && known.seen.size > 0);
  const pushedOutForMs = () => (isWatched() ? PUSHED_OUT_READ_FOR_MS : 0);
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
      const staysForMs = isPushedOut ? pushedOutForMs() : IDLE_AFTER_MS;
      if (Date.now() - usedAt <= staysForMs || isBusy) continue;
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
      if (isEnough()) return;
      await first.wait(requestSignal).catch((error: unknown) => {
        if (requestSignal.aborted || !isEnough()) throw error;
      });
    },
    async lookedForMigrations(requestSignal) {
      const look = migrations.missingLook();
      if (look) await untilAborted(look, AbortSignal.any([requestSignal, signal]));
    },
    otherEngines: migrations.engines,
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
    listDenial: () => listDenial,
    isWatched,
    hasEnded: () => stopped.aborted,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    follow(crdName, onChange) {
      const follower = (now: Crd | null) => onChange(now);
      const ofCrd = followers.get(crdName) ?? new Set();
      followers.set(crdName, ofCrd.add(follower));
      return () => {
        ofCrd.delete(follower);
        if (ofCrd.size === 0 && followers.get(crdName) === ofCrd) followers.delete(crdName);
      };
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
    tellOf(crdName) {
      if (listeners.size > 0) announceToListeners(crdName);
    },
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
