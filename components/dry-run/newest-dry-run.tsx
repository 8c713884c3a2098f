"use client";

import Link from "next/link";
import { dryRunHref } from "#components/hrefs.ts";
import { ApiErrorNotice } from "#components/shared/api-error-notice.tsx";
import { LossList } from "#components/shared/loss-list.tsx";
import { userOrUnknown } from "#components/shared/names.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import type { ListedDryRun } from "#lib/contract/rewrite/dry-run.ts";
import { type DryRunStanding, dryRunStanding } from "#lib/domain/losses/dry-run-standing.ts";
import { sampleOf } from "#lib/domain/losses/sample-of.ts";
import { checkedWords, rejectionWords } from "#lib/domain/rewrite/checked-words.ts";
import { lossVerdict } from "#lib/domain/rewrite/loss-verdict.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { useDryRuns } from "#lib/queries/live/use-cluster-data.ts";

/** The newest dry run's result, and the running one. */
export function NewestDryRun({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const { data, error } = useDryRuns(cluster, crd.name);
  const { running, latest } = dryRunStanding(data?.items ?? [], crd);
  return (
    <div className="flex flex-col gap-3">
      {running ? (
        <Notice tone="working" title="A dry run is in progress">
          <Link href={dryRunHref(cluster, crd.name, running.id)} prefetch={false} className="text-ink underline underline-offset-2">
            {running.dryRun.planned === null
              ? "Watch it"
              : `Watch it: ${formatCount(running.dryRun.checked)} of ${formatCount(running.dryRun.planned)} tried`}
          </Link>
        </Notice>
      ) : null}
      {crd.dryRun ? (
        <DryRunSummary cluster={cluster} crd={crd.name} dryRun={crd.dryRun} />
      ) : data ? (
        <Unrecorded cluster={cluster} crd={crd.name} latest={latest} isRunning={running !== null} />
      ) : error ? (
        <ApiErrorNotice error={error} />
      ) : (
        <span className="skeleton block h-5 w-64" />
      )}
    </div>
  );
}

interface UnrecordedProps {
  cluster: string;
  crd: string;
  latest: DryRunStanding<ListedDryRun>["latest"];
  isRunning: boolean;
}

const endings: Record<ListedDryRun["phase"], string> = {
  running: "The last dry run is running.",
  cancelled: "The last dry run was cancelled.",
  failed: "The last dry run failed.",
  succeeded: "The last dry run is not recorded in the definition.",
};

/** The last dry run where the definition records none; renders nothing if the running one is the first. */
function Unrecorded({ cluster, crd, latest, isRunning }: UnrecordedProps) {
  const link = (id: string, label: string) => (
    <Link href={dryRunHref(cluster, crd, id)} prefetch={false} className="text-ink underline underline-offset-2">
      {label}
    </Link>
  );
  switch (latest.kind) {
    case "unrecorded":
      return (
        <p className="text-ink-soft">
          {endings[latest.dryRun.phase]} {link(latest.dryRun.id, "View it")}
        </p>
      );
    case "superseded":
      return (
        <p className="text-ink-soft">
          No dry run since the last rewrite. {latest.dryRun ? link(latest.dryRun.id, "View the one before it") : null}
        </p>
      );
    case "none":
      return isRunning ? null : <p className="text-ink-soft">No dry run yet</p>;
    case "recorded":
      return null;
    default:
      return latest satisfies never;
  }
}

/** What a rewrite of the definition would do, as far as a dry run has tried it. */
export function DryRunSection({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  return (
    <Section title="Dry run" aside={<p>Sends a rewrite's patches without storing anything. Any spec change voids the result.</p>}>
      <NewestDryRun cluster={cluster} crd={crd} />
    </Section>
  );
}

interface Props {
  cluster: string;
  crd: string;
  dryRun: NonNullable<CrdDetail["dryRun"]>;
  linked?: boolean;
}

/** The definition's record of its newest dry run: findings, objects tried, and whether it still holds. */
export function DryRunSummary({ cluster, crd, dryRun, linked = true }: Props) {
  const { wouldBeRejected, losses, moreLosses } = dryRun;
  const verdict = lossVerdict(dryRun);
  return (
    <div className="flex flex-col gap-3">
      {dryRun.invalidBecause ? (
        <Notice tone="warning" title="This dry run no longer holds">
          <p dir="auto">{dryRun.invalidBecause}</p>
        </Notice>
      ) : null}
      <p className="max-w-3xl">
        {checkedWords(dryRun)} <Time at={dryRun.endedAt} /> by {userOrUnknown(dryRun.startedBy)}:{" "}
        <span className={wouldBeRejected > 0 ? "font-medium text-blocked" : ""}>{rejectionWords(dryRun)}</span>
        {"; "}
        <span className={verdict.kind === "keeps" ? "" : "font-medium text-warning"}>{verdict.words}</span>.{" "}
        {linked ? (
          <Link href={dryRunHref(cluster, crd, dryRun.id)} prefetch={false} className="underline underline-offset-2">
            View the dry run
          </Link>
        ) : null}
      </p>
      {losses.length > 0 ? (
        <div className="max-w-3xl">
          <LossList label="Losses" losses={losses} more={moreLosses} sample={sampleOf(dryRun)} />
        </div>
      ) : null}
    </div>
  );
}
