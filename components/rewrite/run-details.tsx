import Link from "next/link";
import type { ReactNode } from "react";
import { AcceptedLosses } from "#components/crd/losses/accepted-losses.tsx";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { Section } from "#components/ui/section.tsx";
import { Time } from "#components/ui/time.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
