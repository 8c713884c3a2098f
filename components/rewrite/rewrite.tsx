"use client";

import { clsx } from "clsx";
import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { pluralOf } from "#components/shared/names.tsx";
import { RejectionList } from "#components/shared/rejection-list.tsx";
import { WorkSkeleton } from "#components/shared/run-heading.tsx";
import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { Section } from "#components/ui/section.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { endedVerdict } from "#lib/domain/audit/ended-verdict.ts";
import { successStanding } from "#lib/domain/audit/success-standing.ts";
import { retryWords } from "#lib/domain/rewrite/retry-words.ts";
import { isLive, isOtherEngineAtWork, type RunPhase } from "#lib/domain/rewrite/run.ts";
import { useCrd, useRewrite } from "#lib/queries/live/use-cluster-data.ts";
import { RatePlot } from "./rate-plot.tsx";
import { RewriteHeading } from "./rewrite-heading.tsx";
import { Outcomes, RewriteProgress } from "./rewrite-progress.tsx";
import { RewriteVerdict } from "./rewrite-verdict.tsx";
import { DelegationSection, RunDetails } from "./run-details.tsx";
import { runSteps, type StepStatus } from "./run-steps.ts";

/** One run: is it going well, and can it be trusted? */
export function Rewrite({ cluster, crd, id }: { cluster: string; crd: string; id: string }) {
  const { data: run, error, refetch } = useRewrite(cluster, crd, id);
  const { data: definition } = useCrd(cluster, crd);
  const plural = pluralOf(crd);
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      {run ? (
        <>
          <PhaseAnnouncer run={run} crd={definition ?? null} />
          <RewriteHeading cluster={cluster} run={run} plural={plural} crd={definition ?? null} />
          <RewriteSteps run={run} crd={definition ?? null} />
          <RewriteProgress cluster={cluster} run={run} crd={definition ?? null} />
          <RewriteVerdict cluster={cluster} run={run} crd={definition ?? null} />
          {/* None of these counts is known while another engine patches the objects. */}
          {isOtherEngineAtWork(run) ? null : <Outcomes run={run} />}
          <DelegationSection cluster={cluster} run={run} />
          <RatePlot cluster={cluster} run={run} />
          <Rejections cluster={cluster} run={run} crd={definition ?? null} />
          <RunDetails cluster={cluster} run={run} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject="this rewrite" onRetry={() => refetch()} />
      ) : (
        <WorkSkeleton title={`Rewrite of ${plural}`} label="Loading the rewrite…" />
      )}
    </div>
  );
}

const announcements: Partial<Record<RunPhase, string>> = {
  settling: "Waiting for the storage version to settle.",
  rewriting: "Rewriting the objects.",
  verifying: "Verifying the objects.",
  paused: "The rewrite is paused.",
};

/** Announces phase changes to screen readers, and nothing more frequent. */
function PhaseAnnouncer({ run, crd }: { run: Run; crd: CrdDetail | null }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {endedVerdict(run, crd, crd?.run?.id ?? null)?.sentence ?? announcements[run.phase]}
    </p>
  );
}

/** The rejected objects by reason, and the ways to retry them. */
function Rejections({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail | null }) {
  if (run.rejections.length === 0) return null;
  return (
    <Section
      title="Rejected"
      aside={
        <>
          <p>The API server's messages. Fix the cause, then retry.</p>
          {crd ? <RetryButtons cluster={cluster} run={run} crd={crd} /> : null}
        </>
      }
    >
      <RejectionList cluster={cluster} crd={run.crd} label="Rejections" rejections={run.rejections} />
    </Section>
  );
}

/** Ways to retry the rejected objects, once the run has ended and while it is the newest. */
function RetryButtons({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail }) {
  if (isLive(run) || crd.run?.id !== run.id) return null;
  const dryRun = crd.dryRun?.id ?? null;
  const chosen = {
    keepOwnership: run.ownership.keep,
    pace: run.pace,
    maxPerSecond: run.maxPerSecond === null ? "" : String(run.maxPerSecond),
    verifyEveryObject: run.verify === "every-object",
  };
  return (
    <div className="flex flex-wrap gap-2">
      <RewriteButton
        cluster={cluster}
        crd={crd}
        verb="Retry"
        label="Retry these objects"
        chosen={{ ...chosen, throughStatus: run.throughStatus.allowed }}
      >
        <p>{retryWords(run, dryRun)}</p>
      </RewriteButton>
      {crd.hasStatus && !run.throughStatus.allowed ? (
        <RewriteButton cluster={cluster} crd={crd} verb="Retry" label="Retry through /status" chosen={{ ...chosen, throughStatus: true }}>
          <p>{retryWords(run, dryRun, ", through /status if they are rejected again")}</p>
        </RewriteButton>
      ) : null}
    </div>
  );
}

const looks: Record<StepStatus, { sign: string; word: string; text: string; signColor: string }> = {
  done: { sign: "✓", word: "done", text: "text-ink", signColor: "text-good" },
  current: { sign: "●", word: "now", text: "font-semibold text-working", signColor: "" },
  lapsed: { sign: "✓", word: "done, but its proof no longer holds", text: "text-ink-soft", signColor: "" },
  stopped: { sign: "✕", word: "stopped here", text: "font-semibold text-ink", signColor: "text-blocked" },
  todo: { sign: "○", word: "not yet", text: "text-ink-soft", signColor: "" },
};

/** Where the run is: settle, rewrite, verify, proof. */
function RewriteSteps({ run, crd }: { run: Run; crd: CrdDetail | null }) {
  return (
    <ol aria-label="Steps" className="flex items-center gap-2 sm:gap-3">
      {runSteps(run, successStanding(run, crd).state).map(({ name, status }, index) => {
        const look = looks[status];
        return (
          <li
            key={name}
            aria-current={status === "current" ? "step" : undefined}
            className={clsx("flex items-center gap-2 text-sm sm:gap-3", index > 0 && "flex-1")}
          >
            {index > 0 ? (
              <span aria-hidden className={clsx("h-px min-w-2 flex-1", status === "todo" ? "bg-line" : "bg-line-strong")} />
            ) : null}
            <span className={clsx("inline-flex items-center gap-1.5", look.text)}>
              <span aria-hidden className={look.signColor}>
                {look.sign}
              </span>
              {name}
              <span className="sr-only">: {look.word}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
