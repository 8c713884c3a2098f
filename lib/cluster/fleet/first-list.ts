import { untilAborted } from "#lib/async/until-aborted.ts";

/** The first list of a cluster's definitions, for those who wait for it. It may fail, and succeed at another try. */
export interface FirstList {
  /** Resolves once there is a list; throws what the try under way throws. After a failure another try is wanted at once. */
  wait(signal: AbortSignal): Promise<void>;
  succeeded(): void;
  failed(error: unknown): void;
  /** Resolves when somebody waits for another try. */
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

// Nobody may be waiting when it fails.
function unhandled(): PromiseWithResolvers<void> {
  const listing = Promise.withResolvers<void>();
  listing.promise.catch(() => {});
  return listing;
}
