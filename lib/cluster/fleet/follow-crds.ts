import { request } from "undici";
import { inTurn, noTurns } from "#lib/async/in-turn.ts";
import { jitteredBackoffMs, sleep } from "#lib/async/sleep.ts";
import { untilAborted } from "#lib/async/until-aborted.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { listCrds } from "#lib/cluster/definitions/crds.ts";
import { countError, countRequest } from "#lib/cluster/transport/api-requests.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { transportError } from "#lib/cluster/transport/errors.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { isRestoredSince } from "./is-restored-since.ts";
import { type CrdChange, watchCrds } from "./watch-crds.ts";

export interface CrdFollower {
  /**
   * All definitions are about to be listed, at first and whenever the watch has to restart. Returns what gets the list, and resolves to false
   * if it has to be asked for again.
   */
  beginList(): (crds: Crd[], resourceVersion: string) => Promise<boolean>;
  onChange(change: CrdChange): void;
  /** The cluster answers, and everything delivered is up to date. */
  onFresh(): void;
  /** The cluster doesn't answer; the next attempt follows after a wait, or as soon as `retryNow` resolves. */
  onStale(error: unknown): void;
  retryNow(): Promise<void>;
  /** Aborts once the definitions have to be listed again, though the watch goes on. */
  listAgain(): AbortSignal;
  /** Whether someone is viewing, and a hanging cluster must be noticed soon. */
  isWanted(): boolean;
}

/** An API server may open a watch before checking that it still knows the resourceVersion. If not, an early first line says so. */
const REFUSED_WITHIN_MS = 1_000;
const MOST_LISTS_OF_PERSON = 2;
const BACKOFF = { firstMs: 500, maxMs: 30_000 };

/** Lists definitions, then watches them, until the signal aborts. Throws only on abort. */
export async function followCrds(connection: Connection, follower: CrdFollower, signal: AbortSignal): Promise<void> {
  let resourceVersion: string | null = null;
  let toldAt = 0;
  let wasAccepted = false;
  let again = follower.listAgain();
  for (let failures = 0; ; ) {
    if (again.aborted) resourceVersion = null;
    again = follower.listAgain();
    try {
      // An API server lets a watch from a later resourceVersion wait for days, answered or not, and sends nothing.
      if (resourceVersion !== null && (await isRestoredSince(connection, { resourceVersion, at: toldAt }, signal))) resourceVersion = null;
      if (resourceVersion === null) {
        resourceVersion = await listInTurn(connection, follower, signal);
        toldAt = Date.now();
        follower.onFresh();
      }
      const onAccepted = () => {
        failures = 0;
        wasAccepted = true;
        follower.onFresh();
      };
      const openedAt = Date.now();
      const watching: Watching = { resourceVersion, signal: AbortSignal.any([signal, again]), onAccepted, isWanted: follower.isWanted };
      try {
        for await (const change of watchWhileAnswering(connection, watching)) {
          resourceVersion = change.resourceVersion;
          toldAt = Date.now();
          follower.onChange(change);
        }
      } catch (error) {
        if (!again.aborted) throw error;
        resourceVersion = null;
      }
      // A proxy that ends every watch at once must not cause a tight loop.
      if (Date.now() - openedAt < BACKOFF.firstMs) await sleep(jitteredBackoffMs(1, BACKOFF), signal);
    } catch (error) {
      signal.throwIfAborted();
      const mustList = isExpired(error);
      // A list that outlasted etcd's history just restarts: whatever is known already counts as out of date.
      if (!mustList || resourceVersion !== null) follower.onStale(error);
      if (mustList) {
        // The API server is back, so the list needn't wait as long; but only the first time, to avoid a tight loop.
        if (wasAccepted) failures = 0;
        wasAccepted = false;
        resourceVersion = null;
      }
      await Promise.race([sleep(jitteredBackoffMs(failures, BACKOFF), signal), follower.retryNow()]);
      failures += 1;
    }
  }
}

interface Watching {
  resourceVersion: string;
  signal: AbortSignal;
  onAccepted: () => void;
  isWanted: () => boolean;
}

/** The watch, for as long as the API server also answers other requests. */
async function* watchWhileAnswering(connection: Connection, options: Watching): AsyncGenerator<CrdChange> {
  const { onAccepted, isWanted } = options;
  const watching = new AbortController();
  const signal = AbortSignal.any([options.signal, watching.signal]);
  probeWhile(isWanted, connection, signal).catch((error: unknown) => watching.abort(error));
  let silence: NodeJS.Timeout | undefined;
  const onOpen = () => {
    silence = setTimeout(onAccepted, REFUSED_WITHIN_MS);
  };
  try {
    for await (const change of watchCrds(connection, { ...options, signal, onOpen })) {
      onAccepted();
      yield change;
    }
    onAccepted();
  } finally {
    clearTimeout(silence);
    watching.abort();
  }
}

/** Whoever uses many tokens has as many fleets, and would hold all their lists in memory at once. */
function listInTurn(connection: Connection, follower: CrdFollower, signal: AbortSignal): Promise<string> {
  const turns = processWide("definition-lists", () => noTurns(Number.POSITIVE_INFINITY));
  const place = { person: connection.person(), mostAtWork: MOST_LISTS_OF_PERSON };
  return inTurn(turns, place, signal, () => list(connection, follower, signal));
}

async function list(connection: Connection, follower: CrdFollower, signal: AbortSignal): Promise<string> {
  for (;;) {
    const crds: Crd[] = [];
    const take = follower.beginList();
    let resourceVersion = "";
    for await (const page of listCrds(connection, signal)) {
      crds.push(...page.crds);
      resourceVersion = page.resourceVersion;
    }
    if (await take(crds, resourceVersion)) return resourceVersion;
  }
}

// The watch can't continue from this resourceVersion: the answer is a 410, or the stream contains an error.
function isExpired(error: unknown): boolean {
  return clusterAnswer(error)?.status === 410 || (isAppError(error) && error.code === "conflict");
}

const EVERY_MS = 5_000;
const TIMEOUT_MS = 5_000;
const PATH = "/livez";

/**
 * While wanted, asks every five seconds whether the API server still answers; a watch alone may hang unnoticed for minutes. Throws
 * AppError if no answer comes, and the signal's reason.
 */
async function probeWhile(isWanted: () => boolean, connection: Connection, signal: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(EVERY_MS, signal);
    if (isWanted()) await probe(connection, signal);
  }
}

// Without credentials, to avoid calling a plugin: any answer will do, even an error.
async function probe(connection: Connection, signal: AbortSignal): Promise<void> {
  const limits = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS };
  try {
    const send = () => request(`${connection.server}${PATH}`, { dispatcher: connection.dispatcher, signal, ...limits });
    const { body } = await countRequest("GET", signal, () => untilAborted(send(), signal));
    await body.dump();
  } catch (error) {
    const told = transportError(error, connection, { path: PATH, signal });
    throw signal.aborted ? told : countError(told);
  }
}
