import { formatCount } from "#components/ui/format-count.ts";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/report.ts";

/** What became of the objects; each is in exactly one of the five after the first. */
export function ReportOutcomes({ report }: { report: RewriteReport }) {
  const { outcomes, run } = report;
  const isDelegated = run.engine === "in-tree";
  const rows: [name: string, count: number | null][] = [
    ["Objects", outcomes.total],
    [isDelegated ? "Rewritten by crdshift" : "Rewritten", outcomes.rewritten],
    isDelegated ? ["Verified", outcomes.verified] : ["Already current", outcomes.alreadyCurrent],
    ["Gone", outcomes.gone],
    ["Rejected", outcomes.rejected],
    ["Remaining", outcomes.remaining],
    ["Of the rewritten: through /status", outcomes.throughStatus],
    ["Of the rewritten: managedFields carried over", outcomes.ownershipKept],
    ["Of the rewritten: managedFields lost", outcomes.ownershipLost],
  ];
  return (
    <Section
      title="Outcomes"
      aside={
        isDelegated || outcomes.mayBeMore ? (
          <>
            {isDelegated ? <p>Verified: rewritten by the cluster's own engine or current already, verified by crdshift.</p> : null}
            {outcomes.mayBeMore ? <p>As the run said last; it may have done more.</p> : null}
          </>
        ) : undefined
      }
    >
      <dl className="max-w-sm divide-y divide-line text-sm">
        {rows.map(([name, count]) => (
          <div key={name} className="flex break-inside-avoid items-baseline justify-between gap-6 py-1">
            <dt className="text-ink-soft">{name}</dt>
            <dd className={name === "Rejected" && count ? "text-blocked" : ""}>{count === null ? "unknown" : formatCount(count)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
