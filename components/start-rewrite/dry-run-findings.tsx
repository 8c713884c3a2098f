import Link from "next/link";
import type { ReactNode } from "react";
import { dryRunHref } from "#components/hrefs.ts";
import { userOrUnknown } from "#components/shared/names.tsx";
import { Notice } from "#components/ui/notice.tsx";
import { Time } from "#components/ui/time.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { checkedWords, rejectionWords } from "#lib/domain/rewrite/checked-words.ts";
import { lossSentence, lossVerdict } from "#lib/domain/rewrite/loss-verdict.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What the newest dry run says about the rewrite, or what the rewrite does without one. */
export function DryRunFindings({ cluster, crd }: { cluster: string; crd: CrdDetail }): ReactNode {
  const { contradiction, dryRun, proof } = crd;
  if (proof?.standing === "valid" && contradiction === null) {
    return (
      <Notice tone="neutral" title="Already proven">
        <p>
          All {formatCountOf(proof.objects, "object")} are proven to be stored as {proof.storageVersion}. A new rewrite only checks them
          again, and loses nothing.
        </p>
      </Notice>
    );
  }
  if (!dryRun) {
    return (
      <Notice tone="neutral" title="No dry run yet">
        <p>The rewrite starts with one, and stops before it writes anything if fields or ownership would be lost.</p>
      </Notice>
    );
  }
  if (dryRun.invalidBecause) {
    return (
      <Notice tone="neutral" title="The last dry run no longer holds">
        <p dir="auto">
          Reason: {dryRun.invalidBecause}. The rewrite starts with a new one, and stops before it writes anything if fields or ownership
          would be lost.
        </p>
      </Notice>
    );
  }
  const { wouldBeRejected } = dryRun;
  const keepsAll = lossVerdict(dryRun).kind === "keeps";
  return (
    <Notice tone={wouldBeRejected > 0 ? "blocked" : keepsAll ? "neutral" : "warning"} title="Dry run result">
      <p>
        <Time at={dryRun.endedAt} /> by {userOrUnknown(dryRun.startedBy)}: {checkedWords(dryRun)}; {rejectionWords(dryRun)}
        {wouldBeRejected > 0 ? ", which prevents a proof" : ""}. {lossSentence(dryRun)}{" "}
        <Link href={dryRunHref(cluster, crd.name, dryRun.id)} prefetch={false} className="text-ink underline underline-offset-2">
          View the dry run
        </Link>
      </p>
    </Notice>
  );
}
