import Link from "next/link";
import { LossList } from "#components/crd/losses/loss-list.tsx";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";

/** The definition's record of its newest dry run: findings, objects tried, and whether it still holds. */
export function DryRunSummary({ cluster, crd, linked = true }: { cluster: string; crd: CrdDetail; linked?: boolean }) {
  const { dryRun } = crd;
  if (!dryRun) return <NoDryRun cluster={cluster} crd={crd} />;
  const { checked, total, wouldBeRejected, lossesKnown, losses, moreLosses } = dryRun;
  return (
    <div className="flex flex-col gap-3">
      {dryRun.invalidBecause ? (
        <Notice tone="warning" title="This dry run no longer holds">
          <p dir="auto">{dryRun.invalidBecause}</p>
        </Notice>
      ) : null}
      <p className="max-w-3xl">
        {formatCount(checked)} of {formatCountOf(total, "object")} tried <Time at={dryRun.endedAt} /> by {userOrUnknown(dryRun.startedBy)}:{" "}
        {wouldBeRejected > 0 ? (
          <span className="font-medium text-blocked">{formatCount(wouldBeRejected)} would be rejected</span>
        ) : checked > 0 ? (
          "none would be rejected"
        ) : (
          "nothing had to be patched"
        )}
        {"; "}
        {lossesKnown ? (
          losses.length === 0 ? (
            "those would lose nothing."
          ) : (
            "these fields would change."
          )
        ) : (
          <span className="font-medium text-warning">what would be lost is unknown.</span>
        )}{" "}
        {linked ? (
          <Link href={dryRunHref(cluster, crd.name, dryRun.id)} prefetch={false} className="underline underline-offset-2">
            View the dry run
          </Link>
        ) : null}
      </p>
      {losses.length > 0 ? (
        <div className="max-w-3xl">
          <LossList label="Losses" losses={losses} more={moreLosses} />
        </div>
      ) : null}
    </div>
  );
}

// The definition forgets its dry run once a rewrite proves it.
function NoDryRun({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const before = crd.run?.phase === "succeeded" ? crd.run.dryRun : null;
  if (before === null) return <p className="text-ink-soft">No dry run yet</p>;
  return (
    <p className="text-ink-soft">
      No dry run since the last rewrite.{" "}
      <Link href={dryRunHref(cluster, crd.name, before)} prefetch={false} className="text-ink underline underline-offset-2">
        View the one before it
      </Link>
    </p>
  );
}
