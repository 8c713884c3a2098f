import { untilAborted } from "./until-aborted.ts";

/** Room for things at work whose sizes, in whole numbers, together are within a limit. */
export interface Room {
  /** Waits until there is room. What is larger than the limit has it to itself. Throws the signal's reason. */
  take(size: number, signal: AbortSignal): Promise<void>;
  give(size: number): void;
}

export function createRoom(most: number): Room {
  let taken = 0;
  let freed = Promise.withResolvers<void>();
  return {
    async take(size, signal) {
      while (taken > 0 && taken + size > most) await untilAborted(freed.promise, signal);
      taken += size;
    },
    give(size) {
      taken -= size;
      freed.resolve();
      freed = Promise.withResolvers();
    },
  };
}
