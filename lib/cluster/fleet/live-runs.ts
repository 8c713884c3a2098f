import type { Crd } from "#lib/domain/definition/crd.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { latestRun } from "#lib/domain/rewrite/valid-proof.ts";
import type { KnownCrds } from "./known-crds.ts";

/**
 * On each call, checks whether any run is live, and reports those that no longer are: if a run's holder falls silent, its
 * definition's state changes although nothing is written.
 */
export function liveRuns(known: KnownCrds, onEnd: (crd: Crd) => void): () => boolean {
  const live = new Set<string>();
  return () => {
    for (const crd of known.seen.values()) {
      const run = latestRun(known.current(crd), Date.now());
      if (run && isLive(run)) live.add(crd.name);
      else if (live.delete(crd.name)) onEnd(crd);
    }
    return live.size > 0;
  };
}
