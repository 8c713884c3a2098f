import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { DryRunOutcome } from "#lib/domain/losses/dry-run.ts";

/** How far the dry run is, and over which of the objects it goes. */
export function DryRunProgress({ dryRun }: { dryRun: DryRun }) {
  const { dryRun: outcome, phase, message } = dryRun;
  const running = phase === "running";
  return (
    <div className="flex flex-col gap-2">
      {phase === "succeeded" ? null : <ProgressBar label="Objects tried" done={outcome.checked} total={outcome.planned} idle={!running} />}
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <p>
          <span className="font-medium">{formatCount(outcome.checked)}</span>
          <span className="text-ink-soft">
            {" "}
            of {outcome.planned === null ? "a number not known yet" : formatCount(outcome.planned)} tried
          </span>
        </p>
        <p className="text-ink-soft">{triedOf(outcome) ?? "Counting the objects…"}</p>
      </div>
      {running && message ? (
        <Notice tone="warning" role="status" title="Waiting">
          <p dir="auto">{message}</p>
        </Notice>
      ) : null}
    </div>
  );
}

/** How many objects were chosen to be tried, of how many, and how; null until that is known. */
export function triedOf({ total, planned, alreadyCurrent }: Pick<DryRunOutcome, "total" | "planned" | "alreadyCurrent">): string | null {
  if (total === null || planned === null) return null;
  if (total === 0) return "There are no objects.";
  const candidates = total - alreadyCurrent;
  const current =
    alreadyCurrent > 0 ? ` ${formatCountOf(alreadyCurrent, "object is", "objects are")} stored at the storage version already.` : "";
  if (candidates <= 0) return `Nothing is to be tried.${current}`;
  if (planned >= candidates) return `${formatCountOf(planned, "object")}, every one that a rewrite would patch.${current}`;
  return `A random sample: ${formatCount(planned)} of ${formatCount(candidates)} objects. The other ${formatCount(candidates - planned)} are not looked at.${current}`;
}
