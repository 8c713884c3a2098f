import { nameVersions } from "#components/crd/name-versions.ts";
import { formatCountOf } from "#components/ui/format-count.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** The exact change of a prune, what it rests on, and what can be taken back. */
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
          <dt className="font-medium text-ink">What it means</dt>
          <dd className="[overflow-wrap:anywhere]">
            {crd.proof ? `${formatCountOf(crd.proof.objects, "object")} proven to be stored as ${crd.proof.storageVersion}. ` : ""}
            The API server will no longer refuse a spec without {names}. No object is changed.
          </dd>
        </div>
        <div>
          <dt className="font-medium text-ink">Can it be undone?</dt>
          <dd className="[overflow-wrap:anywhere]">
            Yes, with “Undo prune”, while {names} {leftovers.length === 1 ? "is" : "are"} still in spec.versions. Not after{" "}
            {leftovers.length === 1 ? "it is" : "they are"} dropped from there.
          </dd>
        </div>
      </dl>
    </div>
  );
}
