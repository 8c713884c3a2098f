import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import type { DryRunOutcome } from "#lib/domain/losses/dry-run.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The dry run's progress, and which objects it tries. */
export function DryRunProgress({ dryRun }: { dryRun: DryRun }) {
  const { dryRun: outcome, phase, message } = dryRun;
  const running = phase === "running";
  return (
    <div className="flex flex-col gap-2">
      {phase === "succeeded" ? null : <ProgressBar label="Objects tried" done={outcome.checked} total={outcome.planned} idle={!running} />}
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <p>
          <span className="font-medium">{formatCount(outcome.checked)}</span>
          <span className="text-ink-soft"> of {outcome.planned === null ? "an unknown number" : formatCount(outcome.planned)} tried</span>
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

/** How many objects the dry run tries and how they are chosen, in sentences; null until the counts are known. */
export function triedOf({ total, planned, alreadyCurrent }: Pick<DryRunOutcome, "total" | "planned" | "alreadyCurrent">): string | null {
  if (total === null || planned === null) return null;
  if (total === 0) return "There are no objects.";
  const candidates = total - alreadyCurrent;
  const current =
    alreadyCurrent > 0 ? ` ${formatCountOf(alreadyCurrent, "object is", "objects are")} already stored at the storage version.` : "";
  if (candidates <= 0) return `Nothing to try.${current}`;
  if (planned >= candidates) return `${formatCountOf(planned, "object")}: all that a rewrite would patch.${current}`;
  return `Random sample: ${formatCount(planned)} of ${formatCount(candidates)} objects. The other ${formatCount(candidates - planned)} are not tried.${current}`;
}
