"use client";

import { DefinitionBreadcrumb } from "#components/crd/definition-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { pluralOf } from "#components/crd/plural-of.ts";
import { isDelegated } from "#lib/domain/rewrite.ts";
import { useCrd, useRewrite } from "#lib/queries/use-cluster-data.ts";
import { DelegationSection } from "./delegation-section.tsx";
import { Outcomes } from "./outcomes.tsx";
import { PhaseAnnouncer } from "./phase-announcer.tsx";
import { RatePlot } from "./rate-plot.tsx";
import { Rejections } from "./rejections.tsx";
import { RewriteHeading } from "./rewrite-heading.tsx";
import { RewriteProgress } from "./rewrite-progress.tsx";
import { RewriteSkeleton } from "./rewrite-skeleton.tsx";
import { RewriteSteps } from "./rewrite-steps.tsx";
import { RewriteVerdict } from "./rewrite-verdict.tsx";
import { RunDetails } from "./run-details.tsx";

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
          <PhaseAnnouncer run={run} />
          <RewriteHeading cluster={cluster} run={run} plural={plural} />
          <RewriteSteps run={run} />
          <RewriteProgress cluster={cluster} run={run} />
          <RewriteVerdict cluster={cluster} run={run} crd={definition ?? null} />
          {/* While another engine is at the objects nobody knows any of these. */}
          {isDelegated(run) ? null : <Outcomes run={run} />}
          <DelegationSection cluster={cluster} run={run} />
          <RatePlot cluster={cluster} run={run} />
          <Rejections cluster={cluster} run={run} crd={definition ?? null} />
          <RunDetails cluster={cluster} run={run} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject="this rewrite" onRetry={() => refetch()} />
      ) : (
        <RewriteSkeleton plural={plural} />
      )}
    </div>
  );
}
