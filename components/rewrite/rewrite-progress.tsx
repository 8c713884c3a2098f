"use client";

import Link from "next/link";
import { runProgress } from "#components/crd/run-progress.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import { useNow } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive, isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { serverNow } from "#lib/queries/live/server-contact.ts";

/** The run's progress, rate, remaining time, and what it waits for. */
export function RewriteProgress({ cluster, run }: { cluster: string; run: Run }) {
  // These phases have a verdict; the others keep the bar, because objects remain.
  if (run.phase === "succeeded" || run.phase === "unproven") return null;
  const pausedEarly = run.phase === "paused" && run.settledAt === null;
  return (
    <div className="flex flex-col gap-3 pt-4">
      {run.phase === "settling" ? (
        <SettleWait cluster={cluster} run={run} />
      ) : pausedEarly ? null : isOtherEngineAtWork(run) ? (
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
    <Notice tone="working" title={isPickedUp ? "The cluster's own engine is running" : "Waiting for the cluster's own engine to start"}>
      <p className="max-w-3xl">
        {isPickedUp
          ? "It reports no progress. When it ends, crdshift checks every object."
          : "If no controller picks up the StorageVersionMigration within 30 s, crdshift deletes it and the rewrite ends."}
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
          <span className="text-ink-soft"> of {total === null ? "an unknown total" : formatCount(total)}</span>
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
  return run.etaSeconds === null ? "estimating…" : `${formatDuration(run.etaSeconds * 1_000)} left`;
}

function SettleWait({ cluster, run }: { cluster: string; run: Run }) {
  const { settlesAt, statusReason } = run;
  const now = useNow(1_000, serverNow);
  const leftMs = settlesAt === null ? null : Date.parse(settlesAt) - now;
  return (
    <Notice tone="working" title={titleOf(leftMs, statusReason)}>
      {statusReason && leftMs !== null ? <p dir="auto">{statusReason}</p> : null}
      <p className="max-w-3xl">
        crdshift waits until no request can still be stored at an older version, takes the settle point, and then starts to rewrite.
      </p>
      <DryRunLink cluster={cluster} run={run} />
    </Notice>
  );
}

function DryRunLink({ cluster, run: { crd, dryRun } }: { cluster: string; run: Run }) {
  if (!dryRun) return null;
  return (
    <Link href={dryRunHref(cluster, crd, dryRun)} prefetch={false} className="text-ink underline underline-offset-2">
      View the dry run
    </Link>
  );
}

function titleOf(leftMs: number | null, because: string | null): string {
  if (leftMs === null) return because ?? "Waiting for the storage version to settle";
  return leftMs > 0 ? `Settles in ${formatDuration(leftMs)}` : "Taking the settle point";
}
