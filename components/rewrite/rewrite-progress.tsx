"use client";

import Link from "next/link";
import { ConversionFix } from "#components/conversion/conversion-fix.tsx";
import { dryRunHref } from "#components/hrefs.ts";
import { useServerNow } from "#components/shared/use-server-now.ts";
import { useTold } from "#components/shared/use-told.ts";
import { Outcome } from "#components/ui/fact.tsx";
import { ErrorNotice, Notice } from "#components/ui/notice.tsx";
import { ProgressBar } from "#components/ui/progress-bar.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { conversionAdvice, conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { rejectedAfterwards } from "#lib/domain/rewrite/rejected-words.ts";
import { isLive, isOtherEngineAtWork } from "#lib/domain/rewrite/run.ts";
import { mayHaveRewrittenMore } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { runProgress } from "./run-steps.ts";

/** The run's progress, rate, remaining time, and what it waits for. */
export function RewriteProgress({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail | null }) {
  // These phases have a verdict; the others keep the bar, because objects remain.
  if (run.phase === "succeeded" || run.phase === "unproven") return null;
  const waitsFor = isLive(run) ? conversionFailureIn(run.statusReason) : null;
  const failure = waitsFor ?? (isLive(run) ? failedCount(crd) : null);
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
      {isLive(run) && run.caveats.length > 0 ? (
        <Notice tone="warning" title="Unknown from before the resume">
          {run.caveats.map((caveat) => (
            <p key={caveat} dir="auto">
              {caveat}
            </p>
          ))}
        </Notice>
      ) : null}
      <Waiting cluster={cluster} run={run} waitsFor={waitsFor} isEarly={pausedEarly} />
      {failure ? (
        <ErrorNotice message={waitsFor === null ? "Not all objects can be converted" : "Objects can't be converted"} cause={failure}>
          {crd ? <ConversionFix cluster={cluster} crd={crd} failure={failure} /> : <p>{conversionAdvice(failure)}</p>}
          {run.phase === "paused" || waitsFor === null ? null : <RetryTime at={run.retryAt} />}
        </ErrorNotice>
      ) : null}
    </div>
  );
}

/** Why the run sends nothing, unless that is a conversion that fails, which is `waitsFor`, or the settle wait. */
function Waiting(props: { cluster: string; run: Run; waitsFor: string | null; isEarly: boolean }) {
  const { cluster, run, waitsFor, isEarly } = props;
  if (!run.statusReason || !isLive(run) || run.phase === "settling") return null;
  if (run.phase === "paused") {
    return (
      <Notice tone="warning" role="status" title={waitsFor === null ? run.statusReason : "Paused manually."}>
        {isEarly ? <DryRunLink cluster={cluster} run={run} /> : null}
      </Notice>
    );
  }
  if (waitsFor !== null) return null;
  return (
    <Notice tone="warning" role="status" title="Backing off">
      <p dir="auto">{run.statusReason}</p>
      <RetryTime at={run.retryAt} />
    </Notice>
  );
}

/** Why the objects' last count failed on conversion; null if it didn't. */
function failedCount(crd: CrdDetail | null): string | null {
  return crd?.objects.basis === "failed" ? conversionFailureIn(crd.objects.message) : null;
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
  const { settlesAt } = run;
  const told = useTold();
  const statusReason = run.statusReason !== null && conversionFailureIn(run.statusReason) === null ? told(run.statusReason) : null;
  const now = useServerNow(1_000);
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

/** When a rewrite that backs off sends its next request; null while that request is under way. A timer, so that no one hears it tick. */
export function RetryTime({ at }: { at: string | null }) {
  const now = useServerNow(1_000);
  const leftMs = at === null ? 0 : Date.parse(at) - now;
  return <p role="timer">{leftMs > 0 ? `Tries again in ${formatDuration(leftMs)}` : "Trying again now"}</p>;
}

/** The outcome counts. An object is in one of them, or, if it was rewritten and then couldn't be verified, rewritten and rejected. */
export function Outcomes({ run }: { run: Run }) {
  const { counts } = run;
  const delegated = delegates(run.engine);
  const afterwards = rejectedAfterwards(counts);
  return (
    <dl aria-label="Outcomes" className="grid grid-cols-2 gap-x-8 gap-y-3 py-6 sm:flex sm:flex-wrap sm:gap-x-12">
      <Outcome
        name="rewritten"
        count={counts.rewritten}
        atLeast={mayHaveRewrittenMore(run)}
        text={
          delegated
            ? "Stored again by crdshift because the cluster's own engine had not done it."
            : "Stored again at the storage version by this rewrite."
        }
      />
      <Outcome
        name={delegated ? "verified" : "already current"}
        count={counts.alreadyCurrent}
        text={
          delegated
            ? "crdshift found it at the storage version: rewritten by the cluster's own engine, or already current."
            : "Already stored at the storage version: above the settle point, or patched without effect."
        }
      />
      <Outcome name="gone" count={counts.gone} text="Deleted before the rewrite reached it; the API server answered not found." />
      <Outcome
        name="rejected"
        count={counts.rejected}
        text={
          afterwards > 0
            ? `Rejected, ${afterwards === counts.rejected ? "all" : formatCount(afterwards)} of them after this rewrite had stored them. One rejection is enough to prevent a proof.`
            : "The API server rejected the patch. One rejection is enough to prevent a proof."
        }
        tone="blocked"
      />
      <Outcome name="remaining" count={counts.remaining} text="Not processed yet." />
    </dl>
  );
}
