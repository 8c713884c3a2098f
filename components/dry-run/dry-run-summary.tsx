import Link from "next/link";
import { LossList } from "#components/crd/losses/loss-list.tsx";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** What the definition remembers of its newest dry run: what it found, in how many objects, and whether it still holds. */
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
            "nothing would be lost in those."
          ) : (
            "these fields would change."
          )
        ) : (
          <span className="font-medium text-warning">what would be lost is not known.</span>
        )}{" "}
        {linked ? (
          <Link href={dryRunHref(cluster, crd.name, dryRun.id)} prefetch={false} className="underline underline-offset-2">
            See all of it
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

// What a dry run told has come true with a proof, and is forgotten with it.
function NoDryRun({ cluster, crd }: { cluster: string; crd: CrdDetail }) {
  const before = crd.run?.phase === "succeeded" ? crd.run.dryRun : null;
  if (before === null) return <p className="text-ink-soft">None yet. It shows what a rewrite would do, without storing anything.</p>;
  return (
    <p className="text-ink-soft">
      None since the last rewrite.{" "}
      <Link href={dryRunHref(cluster, crd.name, before)} prefetch={false} className="text-ink underline underline-offset-2">
        What was known before that
      </Link>
    </p>
  );
}
