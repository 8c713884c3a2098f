import Link from "next/link";
import type { ReactNode } from "react";
import { userOrUnknown } from "#components/crd/user-or-unknown.ts";
import { dryRunHref } from "#components/shell/hrefs.ts";
import { formatCount, formatCountOf } from "#components/ui/format-count.ts";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** What is known of the rewrite beforehand: what the newest dry run says, or that there is none and what happens then. */
export function DryRunFindings({ cluster, crd }: { cluster: string; crd: CrdDetail }): ReactNode {
  const { dryRun, proof } = crd;
  if (proof?.invalidBecause === null) {
    return (
      <Notice tone="neutral" title="Everything is proven already">
        <p>
          All {formatCountOf(proof.objects, "object")} were proven to be stored as {proof.storageVersion}. A new rewrite only looks again;
          it finds nothing to lose.
        </p>
      </Notice>
    );
  }
  if (!dryRun) {
    return (
      <Notice tone="neutral" title="No dry run has been made">
        <p>The rewrite makes one first, and stops before anything is written if fields or ownership would be lost.</p>
      </Notice>
    );
  }
  if (dryRun.invalidBecause) {
    return (
      <Notice tone="neutral" title="The last dry run no longer holds">
        <p dir="auto">
          Because {dryRun.invalidBecause}. The rewrite makes a new one first, and stops before anything is written if fields or ownership
          would be lost.
        </p>
      </Notice>
    );
  }
  const { checked, total, wouldBeRejected, lossesKnown, losses } = dryRun;
  return (
    <Notice
      tone={wouldBeRejected > 0 ? "blocked" : losses.length > 0 || !lossesKnown ? "warning" : "neutral"}
      title="What the dry run found"
    >
      <p>
        <Time at={dryRun.endedAt} /> by {userOrUnknown(dryRun.startedBy)}: {formatCount(checked)} of {formatCountOf(total, "object")} tried.{" "}
        {wouldBeRejected > 0
          ? `${formatCount(wouldBeRejected)} would be rejected, and then there is no proof. `
          : checked > 0
            ? "None would be rejected. "
            : ""}
        {lossesKnown
          ? losses.length === 0
            ? wouldBeRejected > 0
              ? "In the others nothing would be lost. "
              : "Nothing would be lost in those. "
            : ""
          : "What would be lost is not known. "}
        <Link href={dryRunHref(cluster, crd.name, dryRun.id)} prefetch={false} className="text-ink underline underline-offset-2">
          See it
        </Link>
      </p>
    </Notice>
  );
}
