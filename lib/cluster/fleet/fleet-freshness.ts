import { untilAborted } from "#lib/async/until-aborted.ts";
import type { EventData, ServerEvent } from "#lib/contract/events.ts";

/** How up to date a fleet is: as of when, and if it is stale, since when and why. */
export interface FleetFreshness extends EventData<"status"> {
  resourceVersion: string;
  asOf: string;
}

export interface FreshnessKeeper {
  current(): FleetFreshness;
  /** The cluster sent data at this resourceVersion. */
  heard(resourceVersion: string): void;
  fresh(): void;
  stale(message: string, denied: boolean): void;
}

/** Keeps a fleet's freshness, and sends each change once. */
export function keepFreshness(emit: (event: ServerEvent) => void): FreshnessKeeper {
  let freshness: FleetFreshness = {
    stale: false,
    denied: false,
    since: null,
    message: null,
    resourceVersion: "",
    asOf: new Date().toISOString(),
  };
  const set = (next: Pick<FleetFreshness, "stale" | "denied" | "since" | "message" | "asOf">) => {
    const changed = freshness.stale !== next.stale || freshness.message !== next.message;
    freshness = { ...freshness, ...next };
    const { stale, denied, since, message } = next;
    if (changed) emit({ event: "status", data: { stale, denied, since, message } });
  };
  return {
    current: () => freshness,
    heard(resourceVersion) {
      freshness = { ...freshness, resourceVersion, asOf: new Date().toISOString() };
    },
    fresh: () => set({ stale: false, denied: false, since: null, message: null, asOf: new Date().toISOString() }),
    stale: (message, denied) =>
      set({ stale: true, denied, since: freshness.since ?? new Date().toISOString(), message, asOf: freshness.asOf }),
  };
}

/** The first list of a cluster's definitions, to wait for. It may fail and succeed on a later attempt. */
export interface FirstList {
  /** Resolves once there is a list; throws the error of the current attempt. After a failure, it requests another attempt at once. */
  wait(signal: AbortSignal): Promise<void>;
  succeeded(): void;
  failed(error: unknown): void;
  /** Resolves when a caller waits for another attempt. */
  retryWanted(): Promise<void>;
}

export function firstList(): FirstList {
  let listing = unhandled();
  let retry = Promise.withResolvers<void>();
  let hasFailed = false;
  return {
    async wait(signal) {
      const waiting = listing.promise;
      if (hasFailed) {
        retry.resolve();
        retry = Promise.withResolvers();
      }
      await untilAborted(waiting, signal);
    },
    succeeded() {
      hasFailed = false;
      listing.resolve();
    },
    failed(error) {
      hasFailed = true;
      listing.reject(error);
      listing = unhandled();
    },
    retryWanted: () => retry.promise,
  };
}

// It may fail while nothing waits for it.
function unhandled(): PromiseWithResolvers<void> {
  const listing = Promise.withResolvers<void>();
  listing.promise.catch(() => {});
  return listing;
}
