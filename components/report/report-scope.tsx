import { ResourceVersion } from "#components/crd/resource-version.tsx";
import { formatCount } from "#components/ui/format-count.ts";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/record/report.ts";
import type { ReportVerdict } from "#lib/domain/record/report-verdict.ts";
import { ReportFact, ReportFacts } from "./report-facts.tsx";
import { Stamp } from "./stamp.tsx";

/** Over what: the cluster, the definition as it was, the settle point, and how it was verified. */
export function ReportScope({ report }: { report: RewriteReport }) {
  const { cluster, definition, settlePoint, verdict, run } = report;
  return (
    <Section title="Over what">
      <ReportFacts>
        <ReportFact name="Cluster">
          context {cluster.context}, {cluster.server}, Kubernetes {cluster.version ?? "of an unknown version"}
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
              ; the wait after the last change of the spec was{" "}
              {settlePoint.settleSeconds === null ? "one that is not on record any more" : `${formatCount(settlePoint.settleSeconds)} s`}
            </>
          ) : (
            "none was taken"
          )}
        </ReportFact>
        <ReportFact name="Way of verifying">
          {run.verify === "every-object"
            ? "every object patched again, without effect"
            : "every object above the settle point, or patched again without effect"}
        </ReportFact>
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
      return `${formatCount(verdict.proof.objects)} in the list that verified`;
    case "replaced":
      return "not on record any more";
    case "not-proven":
    case "at-work":
      return "not proven of any";
    default:
      return verdict satisfies never;
  }
}
