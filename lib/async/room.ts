import { whenAborted } from "./until-aborted.ts";

/** Room for so much at once. */
export interface Room {
  /** Waits until there is room for this much, or for all that fits, in turn. Rejects with the signal's reason. */
  take(much: number, signal: AbortSignal): Promise<Taken>;
}

export interface Taken {
  /** Gives it back, once. */
  leave(): void;
}

interface Waiting {
  much: number;
  enter(): void;
}

/** Room for `size`, in whatever the takers count. Whoever holds some must not wait for more. */
export function room(size: number): Room {
  let free = size;
  const waiting: Waiting[] = [];
  const letIn = () => {
    for (let next = waiting[0]; next && next.much <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.much;
      next.enter();
    }
  };
  return {
    take(asked, signal) {
      const much = Math.min(asked, size);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const stopWaiting = whenAborted(signal, (reason) => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(reason);
          letIn();
        });
        let isHeld = true;
        const leave = () => {
          if (isHeld) free += much;
          isHeld = false;
          letIn();
        };
        const enter = () => {
          stopWaiting();
          resolve({ leave });
        };
        const one = { much, enter };
        waiting.push(one);
        letIn();
      });
    },
  };
}
