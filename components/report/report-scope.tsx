import { ResourceVersion } from "#components/shared/names.tsx";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/audit/report.ts";
import type { ReportVerdict } from "#lib/domain/audit/report-verdict.ts";
import { verificationWords } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { ReportFact, ReportFacts, Stamp } from "./report-facts.tsx";

/** The scope: cluster, definition, objects, settle point and verification. */
export function ReportScope({ report }: { report: RewriteReport }) {
  const { cluster, definition, settlePoint, verdict, run } = report;
  return (
    <Section title="Scope">
      <ReportFacts>
        <ReportFact name="Cluster">
          context {cluster.context}, {cluster.server}, Kubernetes {cluster.version ?? "(unknown version)"}
        </ReportFact>
        <ReportFact name="Definition">
          {definition.name}, {definition.kind}, {definition.scope}
        </ReportFact>
        <ReportFact name="uid">
          <span className="font-mono text-xs">{definition.uid}</span>
        </ReportFact>
        <ReportFact name="Generation">{definition.generation ?? "unknown"}</ReportFact>
        <ReportFact name="Storage version">
          <span className="font-mono">{definition.storageVersion}</span>
        </ReportFact>
        <ReportFact name="Objects">{provenObjects(verdict)}</ReportFact>
        <ReportFact name="Settle point">
          {settlePoint ? (
            <>
              <ResourceVersion value={settlePoint.resourceVersion} />
              {settlePoint.takenAt ? (
                <>
                  , taken <Stamp at={settlePoint.takenAt} />
                </>
              ) : null}
              ; wait after the last spec change:{" "}
              {settlePoint.settleSeconds === null ? "no longer on record" : `${formatCount(settlePoint.settleSeconds)} s`}
            </>
          ) : (
            "none"
          )}
        </ReportFact>
        <ReportFact name="Verification">{verificationWords(run.verify)}</ReportFact>
        <ReportFact name="storedVersions now">
          <span className="font-mono text-xs">{JSON.stringify(definition.storedVersions)}</span>
        </ReportFact>
      </ReportFacts>
    </Section>
  );
}

function provenObjects(verdict: ReportVerdict): string {
  switch (verdict.state) {
    case "proven":
      return `${formatCount(verdict.proof.objects)} in the verified list`;
    case "replaced":
      return "no longer on record";
    case "claimed":
    case "not-proven":
    case "at-work":
      return "none proven";
    default:
      return verdict satisfies never;
  }
}
