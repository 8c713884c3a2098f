import { onTestFinished } from "vitest";

/** Counts the turns of the event loop until the end of the test. Returns which one it is. */
export function countTurns(): () => number {
  let turn = 0;
  const next = () => {
    turn += 1;
    pending = setImmediate(next);
  };
  let pending = setImmediate(next);
  onTestFinished(() => clearImmediate(pending));
  return () => turn;
}
