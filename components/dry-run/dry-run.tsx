"use client";

import { DefinitionBreadcrumb } from "#components/crd/definition-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { pluralOf } from "#components/crd/plural-of.ts";
import { Section } from "#components/ui/section.tsx";
import { useCrd, usePreflight } from "#lib/queries/use-cluster-data.ts";
import { ChecksSection } from "./checks-section.tsx";
import { DryRunAnnouncer } from "./dry-run-announcer.tsx";
import { DryRunHeading } from "./dry-run-heading.tsx";
import { DryRunOutcomes } from "./dry-run-outcomes.tsx";
import { DryRunProgress } from "./dry-run-progress.tsx";
import { DryRunRejections } from "./dry-run-rejections.tsx";
import { DryRunResult } from "./dry-run-result.tsx";
import { DryRunSkeleton } from "./dry-run-skeleton.tsx";
import { DryRunSummary } from "./dry-run-summary.tsx";
import { LossesSection } from "./losses-section.tsx";
import { RepeatDryRun } from "./repeat-dry-run.tsx";

/** One dry run: what would a rewrite do? */
export function DryRun({ cluster, crd, id }: { cluster: string; crd: string; id: string }) {
  const { data: preflight, error, refetch } = usePreflight(cluster, crd, id);
  const { data: definition } = useCrd(cluster, crd);
  const plural = pluralOf(crd);
  const remembered = definition?.preflight?.id === id ? definition : null;
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd} />
      {preflight ? (
        <>
          <DryRunAnnouncer preflight={preflight} />
          <DryRunHeading cluster={cluster} preflight={preflight} plural={plural} />
          <DryRunProgress preflight={preflight} />
          <DryRunResult cluster={cluster} preflight={preflight} crd={definition ?? null} />
          <DryRunOutcomes dryRun={preflight.dryRun} />
          <LossesSection cluster={cluster} preflight={preflight} />
          <DryRunRejections cluster={cluster} preflight={preflight} />
          <ChecksSection preflight={preflight} />
          {preflight.phase === "running" ? null : <RepeatDryRun cluster={cluster} preflight={preflight} />}
        </>
      ) : error ? (
        <>
          <LoadFailure error={error} subject="this dry run" onRetry={() => refetch()} />
          {remembered ? (
            <Section title="What is left of it" aside={<p>The definition remembers this much; the rest was in crdshift's memory.</p>}>
              <DryRunSummary cluster={cluster} crd={remembered} linked={false} />
            </Section>
          ) : null}
        </>
      ) : (
        <DryRunSkeleton plural={plural} />
      )}
    </div>
  );
}
