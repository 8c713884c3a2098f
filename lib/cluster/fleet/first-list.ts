import { untilAborted } from "#lib/async/until-aborted.ts";

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
