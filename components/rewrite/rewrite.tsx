"use client";

import Link from "next/link";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { definitionHref, fleetHref } from "#components/shell/hrefs.ts";
import { useCrd, useRewrite } from "#lib/queries/use-cluster-data.ts";
import { Outcomes } from "./outcomes.tsx";
import { PhaseAnnouncer } from "./phase-announcer.tsx";
import { Rejections } from "./rejections.tsx";
import { RewriteHeading } from "./rewrite-heading.tsx";
import { RewriteProgress } from "./rewrite-progress.tsx";
import { RewriteSkeleton } from "./rewrite-skeleton.tsx";
import { RewriteSteps } from "./rewrite-steps.tsx";
import { RewriteVerdict } from "./rewrite-verdict.tsx";

/** One run: is it going well, and can it be trusted? */
export function Rewrite({ cluster, crd, id }: { cluster: string; crd: string; id: string }) {
  const { data: run, error, refetch } = useRewrite(cluster, crd, id);
  const { data: definition } = useCrd(cluster, crd);
  // A definition is named <plural>.<group>.
  const plural = crd.split(".", 1)[0] ?? crd;
  const link = "underline-offset-2 hover:text-ink hover:underline";
  return (
    <div className="pt-4">
      <nav aria-label="Breadcrumb" className="flex min-w-0 flex-wrap gap-x-2 text-xs text-ink-soft">
        <Link href={fleetHref(cluster)} prefetch={false} className={link}>
          ← Definitions
        </Link>
        <span aria-hidden>/</span>
        <Link href={definitionHref(cluster, crd)} prefetch={false} className={`min-w-0 truncate ${link}`}>
          {crd}
        </Link>
      </nav>
      {run ? (
        <>
          <PhaseAnnouncer run={run} />
          <RewriteHeading cluster={cluster} run={run} plural={plural} />
          <RewriteSteps run={run} />
          <RewriteProgress run={run} />
          <RewriteVerdict cluster={cluster} run={run} crd={definition ?? null} />
          <Outcomes counts={run.counts} />
          <Rejections run={run} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject="this rewrite" onRetry={() => refetch()} />
      ) : (
        <RewriteSkeleton plural={plural} />
      )}
    </div>
  );
}
