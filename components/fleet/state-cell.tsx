import { runProgress } from "#components/crd/run-progress.ts";
import { StateMark } from "#components/crd/state-mark.tsx";
import { formatDuration } from "#components/ui/format-duration.ts";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";
import type { Run } from "#lib/contract/run.ts";
import { isDelegated } from "#lib/domain/rewrite.ts";

/** The state with its reason, or with its progress while a rewrite is at work. */
export function StateCell({ crd }: { crd: CrdSummary }) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <StateMark state={crd.state} />
      {crd.activeRun ? (
        <RunProgress run={crd.activeRun} name={crd.name} />
      ) : (
        <span dir="auto" title={crd.stateReason} className="min-w-0 truncate text-left text-ink-soft">
          {crd.stateReason}
        </span>
      )}
    </span>
  );
}

function RunProgress({ run, name }: { run: Run; name: string }) {
  const { done, total, percent } = runProgress(run);
  if (run.phase === "settling") return <span className="truncate text-ink-soft">settling</span>;
  if (isDelegated(run)) return <span className="truncate text-ink-soft">by the cluster's own engine</span>;
  return (
    <span className="flex min-w-0 items-center gap-2 whitespace-nowrap text-ink-soft">
      <ProgressBar label={`Rewrite of ${name}`} done={done} total={total} className="w-20" />
      <span className="w-9 text-right">{percent === null ? "–" : `${percent} %`}</span>
      <span className="truncate">{etaText(run)}</span>
    </span>
  );
}

function etaText(run: Run): string {
  if (run.phase === "verifying") return "verifying";
  if (run.phase === "paused") return "paused";
  return run.etaSeconds === null ? "time left unknown" : `${formatDuration(run.etaSeconds * 1_000)} left`;
}
