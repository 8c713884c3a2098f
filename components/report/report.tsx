"use client";

import { clsx } from "clsx";
import Link from "next/link";
import { rewriteHref } from "#components/hrefs.ts";
import { DefinitionBreadcrumb } from "#components/shared/breadcrumbs.tsx";
import { LoadFailure } from "#components/shared/load-failure.tsx";
import { LossList } from "#components/shared/loss-list.tsx";
import { pluralOf, ResourceVersion, userOrUnknown } from "#components/shared/names.tsx";
import { RejectionList } from "#components/shared/rejection-list.tsx";
import { Button, buttonClass } from "#components/ui/form.tsx";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/audit/report.ts";
import type { ReportVerdict as Verdict } from "#lib/domain/audit/report-verdict.ts";
import { acceptedWords } from "#lib/domain/losses/accepted-words.ts";
import type { Loss, LossExample } from "#lib/domain/losses/losses.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { reportPath } from "#lib/queries/api-paths.ts";
import { useReport } from "#lib/queries/live/use-cluster-data.ts";
import { ReportCourse } from "./report-course.tsx";
import { Stamp } from "./report-facts.tsx";
import { ReportPatches } from "./report-patches.tsx";
import { ReportScope } from "./report-scope.tsx";

/** The report on one run, for reading, printing and archiving. */
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
          <ReportWarnings warnings={report.warnings} />
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
          <span className="sr-only">Generating the report…</span>
          <span aria-hidden className="skeleton mt-4 block h-3 w-80 max-w-full" />
        </div>
      )}
    </div>
  );
}

/** The report's subject and time, and the ways to keep it. */
function ReportHeading({ report, plural, jsonPath }: { report: RewriteReport; plural: string; jsonPath: string }) {
  const { run, definition, madeAt, madeWith, asOf } = report;
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-2 pb-6">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          Report on the rewrite of {plural} to <span className="font-mono">{definition.storageVersion}</span>
        </h1>
        <p className="pt-2 text-sm [overflow-wrap:anywhere] text-ink-soft">
          Run <span className="font-mono text-xs">{run.id}</span>. Generated <Stamp at={madeAt} /> by crdshift {madeWith} from the
          definition's annotation as of <Stamp at={asOf} />.
        </p>
      </div>
      <div className="flex flex-wrap gap-2 print:hidden">
        <Button onClick={() => window.print()}>Print</Button>
        <a href={jsonPath} className={buttonClass("quiet")}>
          View JSON
        </a>
      </div>
    </div>
  );
}

/** The rejected objects, and the accepted losses with who accepted them. */
function ReportLosses({ cluster, report }: { cluster: string; report: RewriteReport }) {
  const { rejections, acceptedLosses: accepted, definition } = report;
  return (
    <>
      <Section title="Rejected">
        {rejections.length > 0 ? (
          <RejectionList cluster={cluster} crd={definition.name} label="Rejections" rejections={rejections} />
        ) : (
          <p className="text-sm">None.</p>
        )}
      </Section>
      <Section title="Accepted losses">
        {accepted ? (
          <div className="flex max-w-3xl flex-col gap-1 text-sm">
            <p>
              Accepted <Stamp at={accepted.at} /> by {userOrUnknown(accepted.by)}. {acceptedWords(accepted).unlisted}
            </p>
            {accepted.losses.length > 0 ? (
              <LossList
                label="Accepted losses"
                losses={accepted.losses.map((loss) => ({ ...loss, examples: examplesOf(loss, report.losses) }))}
                more={accepted.more}
                sample={accepted.sample}
              />
            ) : null}
          </div>
        ) : (
          <p className="text-sm">None.</p>
        )}
      </Section>
    </>
  );
}

/** The objects that had an accepted loss, as far as known. */
function examplesOf({ kind, path }: Pick<Loss, "kind" | "path">, losses: RewriteReport["losses"]): LossExample[] {
  return losses?.find((loss) => loss.kind === kind && loss.path === path)?.examples ?? [];
}

/** The outcome counts; each object is in exactly one of the five after the first. */
function ReportOutcomes({ report }: { report: RewriteReport }) {
  const { outcomes, run } = report;
  const delegated = delegates(run.engine);
  const rows: [name: string, count: number | null, atLeast?: boolean][] = [
    ["Objects", outcomes.total],
    [delegated ? "Rewritten by crdshift" : "Rewritten", outcomes.rewritten, outcomes.rewrittenAtLeast],
    delegated ? ["Verified", outcomes.verified] : ["Already current", outcomes.alreadyCurrent],
    ["Gone", outcomes.gone],
    ["Rejected", outcomes.rejected],
    ["Remaining", outcomes.remaining],
    ["Rewritten: through /status", outcomes.throughStatus],
    ["Rewritten: managedFields carried over", outcomes.ownershipKept],
    ["Rewritten: managedFields lost", outcomes.ownershipLost],
  ];
  return (
    <Section
      title="Outcomes"
      aside={
        delegated || outcomes.mayBeMore ? (
          <>
            {delegated ? <p>Verified: rewritten by the cluster's own engine or already current, and checked by crdshift.</p> : null}
            {outcomes.mayBeMore ? <p>From the rewrite's last report; it may have done more.</p> : null}
          </>
        ) : undefined
      }
    >
      <dl className="max-w-sm divide-y divide-line text-sm">
        {rows.map(([name, count, atLeast]) => (
          <div key={name} className="flex break-inside-avoid items-baseline justify-between gap-6 py-1">
            <dt className="text-ink-soft">{name}</dt>
            <dd className={name === "Rejected" && count ? "text-blocked" : ""}>
              {atLeast ? "at least " : ""}
              {count === null ? "unknown" : formatCount(count)}
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

const edges: Record<Verdict["state"], string> = {
  proven: "border-good bg-good-wash",
  replaced: "border-line-strong bg-sunken",
  claimed: "border-warning bg-warning-wash",
  "not-proven": "border-blocked bg-blocked-wash",
  "at-work": "border-working bg-working-wash",
};

const titles: Record<Verdict["state"], string> = {
  proven: "Proven",
  replaced: "Proven; replaced by a later proof",
  claimed: "Claimed, not proven",
  "not-proven": "Not proven",
  "at-work": "Not proven yet",
};

/** The verdict: proven or not, and why. */
function ReportVerdict({ verdict }: { verdict: Verdict }) {
  const isVoid = verdict.state === "proven" && verdict.invalidBecause !== null;
  return (
    <section
      aria-label="Verdict"
      className={clsx("mb-6 break-inside-avoid border-l-2 px-4 py-3", isVoid ? "border-warning bg-warning-wash" : edges[verdict.state])}
    >
      <p className="text-[15px] leading-6 font-medium">{isVoid ? "Proven, but no longer valid" : titles[verdict.state]}</p>
      {verdict.state === "proven" ? (
        <p>
          {verdict.proof.objects === 1
            ? `The one object ${isVoid ? "was" : "is"}`
            : `All ${formatCountOf(verdict.proof.objects, "object")} ${isVoid ? "were" : "are"}`}{" "}
          stored as <span className="font-mono">{verdict.proof.storageVersion}</span>: proven <Stamp at={verdict.proof.provenAt} />,
          verified at resourceVersion <ResourceVersion value={verdict.proof.verifiedResourceVersion} />.
        </p>
      ) : (
        <p dir="auto" className="[overflow-wrap:anywhere]">
          {verdict.because}
        </p>
      )}
      {verdict.state === "proven" && verdict.invalidBecause ? <p>No longer valid: {verdict.invalidBecause}.</p> : null}
    </section>
  );
}

/** What a person should know beside the verdict. */
export function ReportWarnings({ warnings }: Pick<RewriteReport, "warnings">) {
  if (warnings.length === 0) return null;
  return (
    <section aria-label="Warnings" className="mb-6 break-inside-avoid border-l-2 border-warning bg-warning-wash px-4 py-3">
      <p className="text-[15px] leading-6 font-medium">{warnings.length === 1 ? "Warning" : "Warnings"}</p>
      {warnings.map((warning) => (
        <p key={warning} dir="auto" className="[overflow-wrap:anywhere]">
          {warning}
        </p>
      ))}
    </section>
  );
}
