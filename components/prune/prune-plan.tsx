import { nameVersions } from "#components/crd/marks/version-badge.tsx";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { proofSentence } from "#lib/domain/record/proof-standing.ts";

/** The exact change of a prune, the proof behind it, and its undo. */
export function PrunePlan({ crd, leftovers }: { crd: CrdDetail; leftovers: readonly string[] }) {
  const kept = crd.storedVersions.filter((version) => !leftovers.includes(version));
  const names = nameVersions(leftovers);
  return (
    <div className="flex flex-col gap-3">
      <p className="max-h-40 overflow-y-auto rounded border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 [overflow-wrap:anywhere] text-ink">
        status.storedVersions: {JSON.stringify(crd.storedVersions)} → {JSON.stringify(kept)}
      </p>
      <dl className="flex flex-col gap-2">
        <div>
          <dt className="font-medium text-ink">Effect</dt>
          <dd className="[overflow-wrap:anywhere]">
            {crd.proof ? `${proofSentence(crd.proof)} ` : ""}
            The API server then accepts a spec without {names}. No object changes.
          </dd>
        </div>
        <div>
          <dt className="font-medium text-ink">Undo</dt>
          <dd className="[overflow-wrap:anywhere]">
            “Undo prune” works while {names} {leftovers.length === 1 ? "is" : "are"} still in spec.versions, and no longer once{" "}
            {leftovers.length === 1 ? "it is" : "they are"} removed from there.
          </dd>
        </div>
      </dl>
    </div>
  );
}
