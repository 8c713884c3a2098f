import Link from "next/link";
import type { ReactNode } from "react";
import { AcceptedLosses } from "#components/crd/loss-list.tsx";
import { MigrationMark } from "#components/crd/marks/phase-mark.tsx";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { dryRunHref, enginesHref } from "#components/shell/hrefs.ts";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What the run was allowed to do, and what it did. */
export function RunDetails({ cluster, run }: { cluster: string; run: Run }) {
  return (
    <Section title="Details" aside={<p>What the run was allowed to do, and what it did.</p>}>
      <dl className="grid max-w-3xl grid-cols-[auto_1fr] gap-x-6 gap-y-1 text-sm">
        {run.reasons.map(({ text, by, at }) => (
          <Fact key={at} name="Reason">
            <span dir="auto">{text}</span>{" "}
            <span className="text-ink-soft">
              by {userOrUnknown(by)}, <Time at={at} seconds />
            </span>
          </Fact>
        ))}
        <Fact name="Dry run">
          {run.dryRun ? (
            <Link href={dryRunHref(cluster, run.crd, run.dryRun)} prefetch={false} className="underline underline-offset-2">
              View the dry run
            </Link>
          ) : (
            "none"
          )}
        </Fact>
        <Fact name="Accepted losses">{run.acceptedLosses ? <AcceptedLosses accepted={run.acceptedLosses} /> : "none"}</Fact>
        <Fact name="Ownership">{ownershipText(run)}</Fact>
        <Fact name="Through /status">
          {run.throughStatus.allowed ? `allowed; ${formatCountOf(run.throughStatus.objects, "object")} rewritten this way` : "not allowed"}
        </Fact>
        <Fact name="Limit">{run.maxPerSecond === null ? "none" : `${formatCount(run.maxPerSecond)} objects per second`}</Fact>
        {run.takenOverAt ? (
          <Fact name="Taken over">
            by another crdshift at <Time at={run.takenOverAt} seconds />, because the previous one stopped responding
          </Fact>
        ) : null}
        <Fact name="Verification">
          {run.verify === "every-object" ? "every object, by a second patch" : "objects above the settle point count as proven"}
        </Fact>
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
        <Fact name="StorageVersionMigration">
          <span className="font-mono text-xs">{delegation.migration}</span>
        </Fact>
        <Fact name="State">
          {delegation.phase === null ? "none running" : <MigrationMark phase={delegation.phase} />}
          {delegation.phase === "running" && !isLive(run) ? " when last checked" : null}
        </Fact>
        {delegation.left ? (
          <Fact name="Left">
            <span dir="auto">{delegation.left}</span>
          </Fact>
        ) : null}
        <Fact name="Message">{delegation.message ? <span dir="auto">{delegation.message}</span> : "none"}</Fact>
        {delegation.startedAt ? (
          <Fact name="Started">
            <Time at={delegation.startedAt} seconds />
          </Fact>
        ) : null}
        {delegation.endedAt ? (
          <Fact name="Ended">
            <Time at={delegation.endedAt} seconds />
          </Fact>
        ) : null}
        <Fact name="storedVersions before">
          <span className="font-mono">{delegation.storedVersionsBefore.join(", ")}</span>
        </Fact>
        <Fact name="Repaired">
          {delegation.putBack.length > 0 ? (
            <>
              <span className="font-mono">{delegation.putBack.join(", ")}</span> removed by the engine without a proof, and added again to
              storedVersions
            </>
          ) : (
            <>nothing{delegation.endedAt ? "" : " so far"}</>
          )}
        </Fact>
      </dl>
    </Section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
