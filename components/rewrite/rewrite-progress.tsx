"use client";

import Link from "next/link";
import { runProgress } from "#components/crd/run-progress.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { formatCount } from "#components/ui/format-count.ts";
import { formatDuration } from "#components/ui/format-duration.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isDelegated, isLive } from "#lib/domain/rewrite/run.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** How far the run is, how fast, how long still, and what it waits for. */
export function RewriteProgress({ cluster, run }: { cluster: string; run: Run }) {
  // What ended has its sentence; a bar stays where something is left to do.
  if (run.phase === "succeeded" || run.phase === "blocked") return null;
  const pausedEarly = run.phase === "paused" && run.settledAt === null;
  return (
    <div className="flex flex-col gap-3 pt-4">
      {run.phase === "settling" ? (
        <SettleWait cluster={cluster} run={run} />
      ) : pausedEarly ? null : isDelegated(run) ? (
        <Delegated run={run} />
      ) : (
        <Bar run={run} />
      )}
      {run.statusReason && isLive(run) && run.phase !== "settling" ? (
        run.phase === "paused" ? (
          <Notice tone="warning" role="status" title={run.statusReason}>
            {pausedEarly ? <DryRunLink cluster={cluster} run={run} /> : null}
          </Notice>
        ) : (
          <Notice tone="warning" role="status" title="Backing off">
            <p dir="auto">{run.statusReason}</p>
          </Notice>
        )
      ) : null}
    </div>
  );
}

function Delegated({ run: { delegation } }: { run: Run }) {
  const isPickedUp = delegation?.phase === "running";
  return (
    <Notice tone="working" title={isPickedUp ? "The cluster's own engine is at work" : "Waiting for the cluster's own engine to begin"}>
      <p className="max-w-3xl">
        {isPickedUp
          ? "It tells nothing of its progress. Once it has ended, crdshift looks at every object."
          : "Where no controller picks the StorageVersionMigration up within 30 s, it is deleted and the rewrite ends."}
      </p>
    </Notice>
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
        {isLive(run) && run.phase !== "paused" ? (
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
  return run.etaSeconds === null ? "time left not known until the rate is steady" : `${formatDuration(run.etaSeconds * 1_000)} left`;
}

function SettleWait({ cluster, run }: { cluster: string; run: Run }) {
  const { settlesAt, statusReason } = run;
  const now = useNow(1_000, serverNow);
  const leftMs = settlesAt === null ? null : Date.parse(settlesAt) - now;
  return (
    <Notice tone="working" title={titleOf(leftMs, statusReason)}>
      {statusReason && leftMs !== null ? <p dir="auto">{statusReason}</p> : null}
      <p className="max-w-3xl">
        Nothing is rewritten until no request can still be stored at an older version; then the settle point is taken.
      </p>
      <DryRunLink cluster={cluster} run={run} />
    </Notice>
  );
}

function DryRunLink({ cluster, run: { crd, dryRun } }: { cluster: string; run: Run }) {
  if (!dryRun) return null;
  return (
    <Link href={dryRunHref(cluster, crd, dryRun)} prefetch={false} className="text-ink underline underline-offset-2">
      See the dry run that it relies on
    </Link>
  );
}

function titleOf(leftMs: number | null, because: string | null): string {
  if (leftMs === null) return because ?? "Waiting until the storage version has settled";
  return leftMs > 0 ? `Settles in ${formatDuration(leftMs)}` : "Taking the settle point";
}
