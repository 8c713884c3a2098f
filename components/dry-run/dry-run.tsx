"use client";

import { useId, useState } from "react";
import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { pluralOf } from "#components/shared/names.tsx";
import { RejectionList } from "#components/shared/rejection-list.tsx";
import { WorkSkeleton } from "#components/shared/run-heading.tsx";
import { Outcome } from "#components/ui/fact.tsx";
import { fieldClass, parseWholeNumber } from "#components/ui/form.tsx";
import { Section } from "#components/ui/section.tsx";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { dryRunVerdict } from "#lib/domain/rewrite/dry-run-verdict.ts";
import { useCrd, useDryRun } from "#lib/queries/live/use-cluster-data.ts";
import { DryRunHeading } from "./dry-run-heading.tsx";
import { DryRunProgress, DryRunResult } from "./dry-run-progress.tsx";
import { ChecksSection, LossesSection } from "./findings.tsx";
import { DryRunSummary } from "./newest-dry-run.tsx";
import { StartDryRunButton } from "./start-dry-run-button.tsx";

/** One dry run: what would a rewrite do? */
export function DryRunView({ cluster, crd, id }: { cluster: string; crd: string; id: string }) {
  const { data: dryRun, error, refetch } = useDryRun(cluster, crd, id);
  const { data: definition } = useCrd(cluster, crd);
  const plural = pluralOf(crd);
  const remembered = definition?.dryRun?.id === id ? definition.dryRun : null;
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      {dryRun ? (
        <>
          <DryRunAnnouncer dryRun={dryRun} />
          <DryRunHeading cluster={cluster} dryRun={dryRun} plural={plural} />
          <DryRunProgress dryRun={dryRun} />
          <DryRunResult cluster={cluster} dryRun={dryRun} crd={definition ?? null} />
          <DryRunOutcomes outcome={dryRun.dryRun} />
          <LossesSection cluster={cluster} dryRun={dryRun} />
          <DryRunRejections cluster={cluster} dryRun={dryRun} />
          <ChecksSection dryRun={dryRun} />
          {dryRun.phase === "running" ? null : <RepeatDryRun cluster={cluster} dryRun={dryRun} />}
        </>
      ) : error ? (
        <>
          <LoadFailure error={error} subject="this dry run" onRetry={() => refetch()} />
          {remembered ? (
            <Section title="Summary" aside={<p>The definition keeps this summary; the rest was in crdshift's memory.</p>}>
              <DryRunSummary cluster={cluster} crd={crd} dryRun={remembered} linked={false} />
            </Section>
          ) : null}
        </>
      ) : (
        <WorkSkeleton title={`Dry run of ${plural}`} label="Loading the dry run…" />
      )}
    </div>
  );
}

/** Announces the end of the dry run to screen readers, and nothing more frequent. */
function DryRunAnnouncer({ dryRun }: { dryRun: DryRun }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {dryRunVerdict(dryRun)?.sentences.join(" ") ?? "The dry run is running."}
    </p>
  );
}

/** The objects that would be rejected and those that can't be dry-run, by reason. */
function DryRunRejections({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const { crd, dryRun: outcome } = dryRun;
  return (
    <>
      {outcome.rejections.length > 0 ? (
        <Section title="Would be rejected" aside={<p>The API server's messages. A rewrite would get the same ones.</p>}>
          <RejectionList cluster={cluster} crd={crd} label="Rejections" rejections={outcome.rejections} />
        </Section>
      ) : null}
      {outcome.cannot.length > 0 ? (
        <Section title="Can't be dry-run" aside={<p>Not a failure: a rewrite may succeed, but a dry run can't tell.</p>}>
          <RejectionList cluster={cluster} crd={crd} label="Objects without a dry run" rejections={outcome.cannot} tone="warning" />
        </Section>
      ) : null}
    </>
  );
}

/** The outcome counts; each object that was checked is in one of the first five. */
function DryRunOutcomes({ outcome }: { outcome: DryRun["dryRun"] }) {
  return (
    <dl aria-label="Results" className="grid grid-cols-2 gap-x-8 gap-y-3 py-6 sm:flex sm:flex-wrap sm:gap-x-12">
      <Outcome name="would pass" count={outcome.wouldPass} text="The API server accepted the patch without storing it." />
      {outcome.onlyRead > 0 ? (
        <Outcome
          name="only read"
          count={outcome.onlyRead}
          text="Reading them shows that a write loses nothing, so none was tried. Whether it would be accepted shows in the rewrite."
        />
      ) : null}
      <Outcome
        name="would be rejected"
        count={outcome.wouldBeRejected}
        text="The API server rejected the patch. One rejection is enough for a rewrite to end without a proof."
        tone="blocked"
      />
      <Outcome
        name="can't be dry-run"
        count={outcome.cannotDryRun}
        text="A webhook with side effects doesn't support dry runs, or crdshift can't read the object: neither passed nor failed."
        tone="warning"
      />
      <Outcome name="gone" count={outcome.gone} text="Deleted before the dry run reached it." />
      <Outcome
        name="already current"
        count={outcome.planned === null ? null : outcome.alreadyCurrent}
        text="Above the settle point, so already stored at the storage version: a rewrite skips these."
      />
      <Outcome
        name="generation rises"
        count={outcome.generationRises}
        text="Would pass, but with a higher metadata.generation, so their controllers reconcile them."
        tone="warning"
      />
    </dl>
  );
}

const MOST_OBJECTS = 10_000_000;

/** Starts another dry run with a chosen sample size. */
function RepeatDryRun({ cluster, dryRun }: { cluster: string; dryRun: DryRun }) {
  const id = useId();
  const [text, setText] = useState(() => dryRun.sampleSize.toLocaleString("en-US"));
  const sampleSize = parseWholeNumber(text, MOST_OBJECTS);
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line py-6 text-sm">
      <label htmlFor={id}>Repeat with at most</label>
      <input
        id={id}
        inputMode="numeric"
        autoComplete="off"
        value={text}
        aria-invalid={!sampleSize}
        onChange={(event) => setText(event.target.value)}
        className={`${fieldClass} w-28 text-right`}
      />
      <span>objects</span>
      <StartDryRunButton
        cluster={cluster}
        crd={dryRun.crd}
        label="Dry run again"
        sampleSize={sampleSize ?? undefined}
        disabled={!sampleSize}
      />
      {sampleSize ? null : <span className="text-blocked">Enter a whole number from 1 to {MOST_OBJECTS.toLocaleString("en-US")}.</span>}
    </div>
  );
}
