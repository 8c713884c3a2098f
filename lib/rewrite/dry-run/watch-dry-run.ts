import { sleep } from "#lib/async/sleep.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import { findDryRun } from "./dry-runs.ts";

const LOOK_EVERY_MS = 250;

/** A dry run as it is, and again each time it has changed; for readers that want one answer, only as it is. Throws AppError not_found. */
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
