"use client";

import { runProgress } from "#components/crd/run-progress.ts";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useNow } from "#components/ui/use-now.ts";
import type { Run } from "#lib/contract/run.ts";
import { isLive } from "#lib/domain/rewrite.ts";
import { serverNow } from "#lib/queries/server-contact.ts";

/** How far the run is, how fast, how long still, and what it waits for. */
export function RewriteProgress({ run }: { run: Run }) {
  // What ended has its sentence; a bar stays where something is left to do.
  if (run.phase === "succeeded" || run.phase === "blocked") return null;
  return (
    <div className="flex flex-col gap-3 pt-4">
      {run.phase === "settling" ? <SettleWait run={run} /> : <Bar run={run} />}
      {run.pausedBecause && isLive(run) && run.phase !== "settling" ? (
        <Notice tone="warning" role="status" title={run.phase === "paused" ? "Paused" : "Backing off"}>
          <p dir="auto">{run.pausedBecause}</p>
        </Notice>
      ) : null}
    </div>
  );
}

function Bar({ run }: { run: Run }) {
  const { done, total, percent } = runProgress(run);
  return (
    <div className="flex flex-col gap-2">
      <ProgressBar label="Objects done" done={done} total={total} idle={!isLive(run)} />
      <div className="flex flex-wrap justify-between gap-x-6 text-sm">
        <p>
          <span className="font-medium">{formatCount(done)}</span>
          <span className="text-ink-soft"> of {total === null ? "a total not known yet" : formatCount(total)}</span>
          {percent === null ? null : <span className="text-ink-soft"> · {percent} %</span>}
        </p>
        {isLive(run) ? (
          <p className="text-ink-soft">
            {run.ratePerSecond === null ? "rate unknown" : `${formatCount(Math.round(run.ratePerSecond))}/s`} · {etaText(run)}
          </p>
        ) : null}
      </div>
    </div>
  );
}

function etaText(run: Run): string {
  if (run.phase === "verifying") return "verifying";
  return run.etaSeconds === null ? "time left unknown" : `${formatDuration(run.etaSeconds * 1_000)} left`;
}

function SettleWait({ run: { settlesAt, pausedBecause } }: { run: Run }) {
  const now = useNow(1_000, serverNow);
  const leftMs = settlesAt === null ? null : Date.parse(settlesAt) - now;
  return (
    <Notice tone="working" title={titleOf(leftMs)}>
      {pausedBecause ? <p dir="auto">{pausedBecause}</p> : null}
      <p className="max-w-3xl">
        Nothing is rewritten until no request can still be stored at an older version; then the settle point is taken.
      </p>
    </Notice>
  );
}

function titleOf(leftMs: number | null): string {
  if (leftMs === null) return "Waiting until the storage version has settled";
  return leftMs > 0 ? `Settles in ${formatDuration(leftMs)}` : "Taking the settle point";
}
