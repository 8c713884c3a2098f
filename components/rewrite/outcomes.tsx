import { Outcome } from "#components/ui/fact.tsx";
import type { Run } from "#lib/contract/rewrite/run.ts";

/** What became of the objects; each ends in exactly one of these. */
export function Outcomes({ run: { counts, engine } }: { run: Pick<Run, "counts" | "engine"> }) {
  const isDelegated = engine === "in-tree";
  return (
    <dl aria-label="Outcomes" className="grid grid-cols-2 gap-x-8 gap-y-3 py-6 sm:flex sm:flex-wrap sm:gap-x-12">
      <Outcome
        name="rewritten"
        count={counts.rewritten}
        text={
          isDelegated
            ? "Re-encoded by crdshift, since the cluster's own engine had left it."
            : "Re-encoded at the storage version by this run."
        }
      />
      <Outcome
        name={isDelegated ? "verified" : "already current"}
        count={counts.alreadyCurrent}
        text={
          isDelegated
            ? "Found at the storage version by crdshift: rewritten by the cluster's own engine, or there already."
            : "Above the settle point, or patched without any effect: it was stored at the storage version already."
        }
      />
      <Outcome
        name="gone"
        count={counts.gone}
        text="Deleted by somebody before the rewrite came to it; the API server named it as not found."
      />
      <Outcome
        name="rejected"
        count={counts.rejected}
        text="The API server refused the patch. One is enough for there to be no proof."
        tone="blocked"
      />
      <Outcome name="remaining" count={counts.remaining} text="Not looked at yet." />
    </dl>
  );
}
