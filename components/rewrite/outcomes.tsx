import { Outcome } from "#components/ui/fact.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";

/** The outcome counts; each object ends in exactly one of them. */
export function Outcomes({ run: { counts, engine } }: { run: Pick<Run, "counts" | "engine"> }) {
  const delegated = delegates(engine);
  return (
    <dl aria-label="Outcomes" className="grid grid-cols-2 gap-x-8 gap-y-3 py-6 sm:flex sm:flex-wrap sm:gap-x-12">
      <Outcome
        name="rewritten"
        count={counts.rewritten}
        text={
          delegated ? "Re-encoded by crdshift because the cluster's own engine had not." : "Re-encoded at the storage version by this run."
        }
      />
      <Outcome
        name={delegated ? "verified" : "already current"}
        count={counts.alreadyCurrent}
        text={
          delegated
            ? "crdshift found it at the storage version: rewritten by the cluster's own engine, or already current."
            : "Already stored at the storage version: above the settle point, or patched without effect."
        }
      />
      <Outcome name="gone" count={counts.gone} text="Deleted before the rewrite reached it; the API server answered not found." />
      <Outcome
        name="rejected"
        count={counts.rejected}
        text="The API server rejected the patch. One rejection is enough to prevent a proof."
        tone="blocked"
      />
      <Outcome name="remaining" count={counts.remaining} text="Not processed yet." />
    </dl>
  );
}
