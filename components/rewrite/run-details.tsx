import Link from "next/link";
import type { ReactNode } from "react";
import { dryRunHref, enginesHref } from "#components/hrefs.ts";
import { AcceptedLosses } from "#components/shared/loss-list.tsx";
import { MigrationMark } from "#components/shared/marks.tsx";
import { userOrUnknown } from "#components/shared/names.tsx";
import { paceWords } from "#components/shared/pace-words.ts";
import { FactRow } from "#components/ui/fact.tsx";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { knownMigration, MAY_BE_CREATED } from "#lib/domain/rewrite/known-migration.ts";
import { type Delegation, isLive } from "#lib/domain/rewrite/run.ts";
import { verificationWords } from "#lib/domain/rewrite/run-sentences.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What the run was allowed to do, and what it did. */
export function RunDetails({ cluster, run }: { cluster: string; run: Run }) {
  return (
    <Section title="Details" aside={<p>What the rewrite was allowed to do, and what it did.</p>}>
      <dl className="grid max-w-3xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {run.reasons.map(({ text, by, at }) => (
          <FactRow key={at} name="Reason">
            <span dir="auto">{text}</span>{" "}
            <span className="text-ink-soft">
              by {userOrUnknown(by)}, <Time at={at} seconds />
            </span>
          </FactRow>
        ))}
        <FactRow name="Dry run">
          {run.dryRun ? (
            <Link href={dryRunHref(cluster, run.crd, run.dryRun)} prefetch={false} className="underline underline-offset-2">
              View the dry run
            </Link>
          ) : (
            "none"
          )}
        </FactRow>
        <FactRow name="Accepted losses">{run.acceptedLosses ? <AcceptedLosses accepted={run.acceptedLosses} /> : "none"}</FactRow>
        <FactRow name="Ownership">{ownershipText(run)}</FactRow>
        <FactRow name="Through /status">
          {run.throughStatus.allowed ? `allowed; ${formatCountOf(run.throughStatus.objects, "object")} rewritten this way` : "not allowed"}
        </FactRow>
        {delegates(run.engine) ? null : <FactRow name="Pace">{paceWords[run.pace].name.toLowerCase()}</FactRow>}
        <FactRow name="Limit">{run.maxPerSecond === null ? "none" : `${formatCount(run.maxPerSecond)} objects per second`}</FactRow>
        {run.interruptions.map(({ at, because }) => (
          <FactRow key={at} name="Interrupted">
            <Time at={at} seconds />: <span dir="auto">{because ?? "its process stopped responding"}</span>
          </FactRow>
        ))}
        {run.takenOverAt ? (
          <FactRow name="Taken over">
            by another crdshift at <Time at={run.takenOverAt} seconds />, because the previous one stopped responding
          </FactRow>
        ) : null}
        <FactRow name="Verification">{verificationWords(run.verify)}</FactRow>
      </dl>
    </Section>
  );
}

function ownershipText({ ownership: { keep, kept, lost } }: Run): ReactNode {
  const losing = lost > 0 ? <span className="text-warning">lost in {formatCountOf(lost, "object")}</span> : null;
  if (!keep) return losing ?? "not carried over";
  return (
    <>
      kept: managedFields carried over in {formatCountOf(kept, "object")}
      {losing ? <>; {losing}</> : null}
    </>
  );
}

/** The StorageVersionMigration that a run delegates to: its state, and what crdshift repaired after it. */
export function DelegationSection({ cluster, run }: { cluster: string; run: Run }) {
  const { delegation } = run;
  if (!delegation) return null;
  return (
    <Section
      title="The cluster's own engine"
      aside={
        <>
          <p>It patches the objects; crdshift watches it and checks every object afterwards. You can't pause, limit or stop it.</p>
          <Link href={enginesHref(cluster)} prefetch={false} className="underline underline-offset-2 hover:text-ink">
            All StorageVersionMigrations
          </Link>
        </>
      }
    >
      <dl className="grid max-w-3xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        <FactRow name="StorageVersionMigration">
          <span className="font-mono text-xs">{delegation.migration}</span>
        </FactRow>
        <FactRow name="State">
          <MigrationState run={run} delegation={delegation} />
        </FactRow>
        {delegation.left ? (
          <FactRow name="Left">
            <span dir="auto">{delegation.left}</span>
          </FactRow>
        ) : null}
        <FactRow name="Message">{delegation.message ? <span dir="auto">{delegation.message}</span> : "none"}</FactRow>
        {delegation.startedAt ? (
          <FactRow name="Started">
            <Time at={delegation.startedAt} seconds />
          </FactRow>
        ) : null}
        {delegation.endedAt ? (
          <FactRow name="Ended">
            <Time at={delegation.endedAt} seconds />
          </FactRow>
        ) : null}
        <FactRow name="storedVersions before">
          <span className="font-mono">{delegation.storedVersionsBefore.join(", ")}</span>
        </FactRow>
        <FactRow name="Repaired">
          {delegation.putBack.length > 0 ? (
            <>
              <span className="font-mono">{delegation.putBack.join(", ")}</span> removed by the engine without a proof, and added again to
              storedVersions
            </>
          ) : (
            <>nothing{delegation.endedAt ? "" : " so far"}</>
          )}
        </FactRow>
      </dl>
    </Section>
  );
}

function MigrationState({ run, delegation }: { run: Run; delegation: Delegation }) {
  const known = knownMigration(run, delegation);
  switch (known) {
    case "none":
      return "none running";
    case "none-yet":
      return "none on record yet";
    case "unknown":
      return MAY_BE_CREATED;
    case "pending":
    case "running":
    case "succeeded":
    case "failed":
      return (
        <>
          <MigrationMark phase={known} />
          {known === "running" && !isLive(run) ? " when last checked" : null}
        </>
      );
    default:
      return known satisfies never;
  }
}
