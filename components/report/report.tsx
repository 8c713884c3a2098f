"use client";

import Link from "next/link";
import { DefinitionBreadcrumb } from "#components/crd/definition-breadcrumb.tsx";
import { LoadFailure } from "#components/crd/load-failure.tsx";
import { pluralOf } from "#components/crd/plural-of.ts";
import { rewriteHref } from "#components/shell/hrefs.ts";
import { reportPath } from "#lib/queries/api-paths.ts";
import { useReport } from "#lib/queries/use-cluster-data.ts";
import { ReportCourse } from "./report-course.tsx";
import { ReportHeading } from "./report-heading.tsx";
import { ReportLosses } from "./report-losses.tsx";
import { ReportOutcomes } from "./report-outcomes.tsx";
import { ReportPatches } from "./report-patches.tsx";
import { ReportScope } from "./report-scope.tsx";
import { ReportVerdict } from "./report-verdict.tsx";

/** The record of one run, for reading, for paper and for an archive. */
export function Report({ cluster, crd, id }: { cluster: string; crd: string; id: string }) {
  const { data: report, error, refetch } = useReport(cluster, crd, id);
  return (
    <div className="pt-4">
      <DefinitionBreadcrumb cluster={cluster} crd={crd}>
        <span aria-hidden>/</span>
        <Link href={rewriteHref(cluster, crd, id)} prefetch={false} className="underline-offset-2 hover:text-ink hover:underline">
          Rewrite
        </Link>
      </DefinitionBreadcrumb>
      {report ? (
        <>
          <ReportHeading report={report} plural={pluralOf(crd)} jsonPath={reportPath(cluster, crd, id)} />
          <ReportVerdict verdict={report.verdict} />
          <ReportScope report={report} />
          <ReportCourse report={report} />
          <ReportOutcomes report={report} />
          <ReportLosses cluster={cluster} report={report} />
          <ReportPatches report={report} />
        </>
      ) : error ? (
        <LoadFailure error={error} subject="this report" onRetry={() => refetch()} />
      ) : (
        <div role="status" className="pt-2">
          <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">Report on a rewrite of {pluralOf(crd)}</h1>
          <span className="sr-only">Making the report…</span>
          <span aria-hidden className="skeleton mt-4 block h-3 w-80 max-w-full" />
        </div>
      )}
    </div>
  );
}
