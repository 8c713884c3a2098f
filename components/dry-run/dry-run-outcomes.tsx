import { Outcome } from "#components/ui/outcome.tsx";
import type { Preflight } from "#lib/contract/preflight.ts";

/** What the patches came to; each object that was tried is one of the first four. */
export function DryRunOutcomes({ dryRun }: { dryRun: Preflight["dryRun"] }) {
  return (
    <dl aria-label="Results" className="grid grid-cols-2 gap-x-8 gap-y-3 py-6 sm:flex sm:flex-wrap sm:gap-x-12">
      <Outcome name="would pass" count={dryRun.wouldPass} text="The API server took the patch, without storing it." />
      <Outcome
        name="would be rejected"
        count={dryRun.wouldBeRejected}
        text="The API server refused the patch. One is enough for a rewrite to end without a proof."
        tone="blocked"
      />
      <Outcome
        name="can't be dry-run"
        count={dryRun.cannotDryRun}
        text="A webhook with side effects takes no dry run: neither passed nor failed."
        tone="warning"
      />
      <Outcome name="gone" count={dryRun.gone} text="Deleted by somebody before the dry run came to it." />
      <Outcome
        name="already current"
        count={dryRun.planned === null ? null : dryRun.alreadyCurrent}
        text="Above the settle point, so stored at the storage version: a rewrite sends nothing for these."
      />
      <Outcome
        name="generation rises"
        count={dryRun.generationRises}
        text="Of those that would pass: metadata.generation goes up, so their controllers reconcile them."
        tone="warning"
      />
    </dl>
  );
}
