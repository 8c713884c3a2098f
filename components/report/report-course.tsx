import { runEngineWords } from "#components/engines/engine-words.ts";
import { PhaseMark } from "#components/shared/marks.tsx";
import { userOrUnknown } from "#components/shared/names.tsx";
import { paceWords } from "#components/shared/pace-words.ts";
import { Section } from "#components/ui/section.tsx";
import type { RewriteReport } from "#lib/domain/audit/report.ts";
import { checkedWords, rejectionWords } from "#lib/domain/rewrite/checked-words.ts";
import { knownMigration, MAY_BE_CREATED } from "#lib/domain/rewrite/known-migration.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { ReportFact, ReportFacts, Stamp } from "./report-facts.tsx";

/** Who ran it, when and how, and what followed. */
export function ReportCourse({ report }: { report: RewriteReport }) {
  const { run, prune, dryRun } = report;
  return (
    <Section title="Run">
      <ReportFacts>
        <ReportFact name="Started">
          <Stamp at={run.startedAt} /> by {userOrUnknown(run.startedBy)}
        </ReportFact>
        {run.reasons.map(({ text, by, at }) => (
          <ReportFact key={at} name="Reason">
            <span dir="auto">{text}</span> (<Stamp at={at} /> by {userOrUnknown(by)})
          </ReportFact>
        ))}
        <ReportFact name="Ended">
          {run.endedAt ? (
            <>
              <Stamp at={run.endedAt} /> as <PhaseMark phase={run.phase} />
            </>
          ) : (
            <>
              not on record; <PhaseMark phase={run.phase} />
            </>
          )}
        </ReportFact>
        {run.takenOverAt ? (
          <ReportFact name="Taken over">
            <Stamp at={run.takenOverAt} /> by another crdshift, because the previous one stopped responding
          </ReportFact>
        ) : null}
        <ReportFact name="Engine">
          {runEngineWords[run.engine]}, started by crdshift {run.crdshiftVersion ?? "(unknown version)"}
        </ReportFact>
        {run.delegation ? (
          <ReportFact name="Delegated to">
            StorageVersionMigration {run.delegation.migration}: {delegationWords(run, run.delegation)}
          </ReportFact>
        ) : null}
        <ReportFact name="Allowed">
          {[
            run.keepOwnership ? "managedFields carried over" : "managedFields not carried over",
            run.throughStatus ? "rejected objects tried through /status" : "nothing through /status",
            `pace: ${paceWords[run.pace].name.toLowerCase()}`,
            run.maxPerSecond === null ? "no rate limit" : `at most ${formatCount(run.maxPerSecond)} objects per second`,
          ].join("; ")}
        </ReportFact>
        <ReportFact name="Dry run">
          {dryRun ? (
            <>
              <Stamp at={dryRun.endedAt} /> by {userOrUnknown(dryRun.startedBy)}: {checkedWords(dryRun)}; {rejectionWords(dryRun)}
            </>
          ) : run.dryRun ? (
            "made; its findings are no longer on record"
          ) : (
            "none"
          )}
        </ReportFact>
        <ReportFact name="Pruned">
          <Pruned prune={prune} />
        </ReportFact>
      </ReportFacts>
    </Section>
  );
}

function Pruned({ prune }: { prune: RewriteReport["prune"] }) {
  switch (prune.state) {
    case "pruned": {
      const { versions, prunedAt, by, reason } = prune.prune;
      return (
        <>
          {versions.join(", ")} removed from storedVersions, <Stamp at={prunedAt} /> by {userOrUnknown(by)}
          {reason === null ? null : (
            <>
              ; reason: <span dir="auto">{reason}</span>
            </>
          )}
        </>
      );
    }
    case "none":
      return "nothing, based on this rewrite's proof";
    case "unknown":
      return "no longer on record; a later prune replaced it";
    default:
      return prune satisfies never;
  }
}

function delegationWords(run: RewriteReport["run"], delegation: NonNullable<RewriteReport["run"]["delegation"]>): string {
  if (delegation.left !== null) return delegation.left;
  const known = knownMigration(run, delegation);
  switch (known) {
    case "none":
      return "not created, or deleted again";
    case "none-yet":
      return "not on record yet";
    case "unknown":
      return MAY_BE_CREATED;
    case "pending":
    case "running":
      return `${known} when last checked`;
    case "succeeded":
    case "failed":
      return `ended as ${known}`;
    default:
      return known satisfies never;
  }
}
