import { sleep } from "#lib/async/sleep.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { findDryRun } from "./dry-runs.ts";

const LOOK_EVERY_MS = 250;

/** Yields a dry run's current state, then every change; with `once` only the current state. Throws AppError not_found. */
export function watchDryRun(audience: string, crdName: string, id: string, { once }: { once: boolean }) {
  const known = findDryRun(audience, crdName, id);
  return async function* (signal: AbortSignal): AsyncGenerator<DryRun> {
    for (let shown: DryRun | null = null; ; ) {
      if (known.current !== shown) {
        shown = known.current;
        yield shown;
      }
      if (once || shown.phase !== "running") return;
      await sleep(LOOK_EVERY_MS, signal);
    }
  };
}
