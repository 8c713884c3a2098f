import type { Crd } from "#lib/domain/definition/crd.ts";
import { isLive, latestRun } from "#lib/domain/rewrite/run.ts";
import type { KnownCrds } from "./known-crds.ts";

/**
 * Looks, at each call, whether any run is live, and tells of those that no longer are: a run whose holder falls silent changes
 * the state of its definition with nothing written.
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
