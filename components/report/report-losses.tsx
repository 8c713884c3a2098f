import { LossList } from "#components/crd/loss-list.tsx";
import { RejectionList } from "#components/crd/rejection-list.tsx";
import { somebody } from "#components/crd/somebody.ts";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/report.ts";
import { Stamp } from "./stamp.tsx";

/** What was refused, and what was given up by whom. */
export function ReportLosses({ cluster, report }: { cluster: string; report: RewriteReport }) {
  const { rejections, acceptedLosses: accepted, definition } = report;
  return (
    <>
      <Section title="Rejected">
        {rejections.length > 0 ? (
          <RejectionList cluster={cluster} crd={definition.name} label="Rejections" rejections={rejections} />
        ) : (
          <p className="text-sm">No object.</p>
        )}
      </Section>
      <Section title="Lost">
        {accepted ? (
          <div className="flex max-w-3xl flex-col gap-1 text-sm">
            <p>
              Accepted <Stamp at={accepted.at} /> by {somebody(accepted.by)}
              {accepted.unseen ? ", unseen: no dry run had told what they are." : "."}
            </p>
            {accepted.losses.length > 0 ? (
              <LossList label="Accepted losses" losses={accepted.losses} more={accepted.more} />
            ) : (
              <p className="text-ink-soft">No path was listed.</p>
            )}
          </div>
        ) : (
          <p className="text-sm">No loss was accepted.</p>
        )}
      </Section>
    </>
  );
}
