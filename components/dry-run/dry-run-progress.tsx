import { formatCount } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { Preflight } from "#lib/contract/preflight.ts";
import { triedOf } from "./tried-of.ts";

/** How far the dry run is, and over which of the objects it goes. */
export function DryRunProgress({ preflight }: { preflight: Preflight }) {
  const { dryRun, phase, message } = preflight;
  const running = phase === "running";
  return (
    <div className="flex flex-col gap-2">
      {phase === "succeeded" ? null : <ProgressBar label="Objects tried" done={dryRun.checked} total={dryRun.planned} idle={!running} />}
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <p>
          <span className="font-medium">{formatCount(dryRun.checked)}</span>
          <span className="text-ink-soft">
            {" "}
            of {dryRun.planned === null ? "a number not known yet" : formatCount(dryRun.planned)} tried
          </span>
        </p>
        <p className="text-ink-soft">{triedOf(dryRun) ?? "Counting the objects…"}</p>
      </div>
      {running && message ? (
        <Notice tone="warning" role="status" title="Waiting">
          <p dir="auto">{message}</p>
        </Notice>
      ) : null}
    </div>
  );
}
