import type { ObjectName, Run } from "#lib/domain/rewrite/run.ts";
import { createTally, type Tally } from "#lib/rewrite/run/progress/tally.ts";

/** An object of that name. */
export function named(name: string, namespace = "default"): ObjectName {
  return { namespace, name };
}

/** A tally with a clock that the test turns, in ms. */
export function clocked(run: Run | null = null): { tally: Tally; wait: (by: number) => void } {
  let ms = 0;
  const wait = (by: number) => {
    ms += by;
  };
  return { tally: createTally(run, () => ms), wait };
}

/** Begins a list of so many objects. */
export function begun(tally: Tally, objects: number, current = "900"): void {
  tally.begin(current);
  tally.expect(objects);
}
