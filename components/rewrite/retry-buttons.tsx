import { RewriteButton } from "#components/start-rewrite/rewrite-button.tsx";
import { formatCountOf } from "#components/ui/format-count.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import type { Run } from "#lib/contract/run.ts";
import { isLive } from "#lib/domain/rewrite.ts";

/** Ways to try the rejected objects again, once the run that was refused them has ended and none has started since. */
export function RetryButtons({ cluster, run, crd }: { cluster: string; run: Run; crd: CrdDetail }) {
  if (isLive(run) || crd.run?.id !== run.id) return null;
  const rejected = formatCountOf(run.counts.rejected, "rejected object");
  // A dry run's figures are from before the rewrite that came after it.
  const told =
    run.acceptedLosses && crd.preflight?.id === run.preflight ? " What the dry run told has happened in the others already." : "";
  const chosen = {
    keepOwnership: run.ownership.keep,
    maxPerSecond: run.maxPerSecond === null ? "" : String(run.maxPerSecond),
    verifyEveryObject: run.verify === "every-object",
  };
  return (
    <div className="flex flex-wrap gap-2">
      <RewriteButton cluster={cluster} crd={crd} label="Retry these" chosen={{ ...chosen, throughStatus: run.throughStatus.allowed }}>
        <p>
          A new rewrite: it skips what is done, and tries the {rejected} again.{told}
        </p>
      </RewriteButton>
      {crd.hasStatus && !run.throughStatus.allowed ? (
        <RewriteButton cluster={cluster} crd={crd} label="Retry through /status" chosen={{ ...chosen, throughStatus: true }}>
          <p>
            A new rewrite: it skips what is done, and tries the {rejected} again, through /status where they are rejected once more.{told}
          </p>
        </RewriteButton>
      ) : null}
    </div>
  );
}
