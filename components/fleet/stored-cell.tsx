import { Hint } from "#components/ui/hint.tsx";
import type { CrdSummary } from "#lib/contract/crd.ts";

/** Stored versions: leftovers on the left of the arrow, the storage version on the right. */
export function StoredCell({ crd }: { crd: CrdSummary }) {
  const { leftoverVersions: leftovers, storageVersion } = crd;
  if (crd.storedVersions.length === 0) return <span className="text-ink-faint italic">none listed</span>;
  if (leftovers.length === 0)
    return <span className="block truncate font-mono text-xs text-ink-soft">{crd.storedVersions.join(", ")}</span>;
  return (
    <Hint text={<AllStored crd={crd} />} className="flex max-w-full items-center gap-1 font-mono text-xs whitespace-nowrap">
      <span className="min-w-0 truncate text-warning">
        <span className="sr-only">leftover </span>
        {leftovers[0]}
      </span>
      {leftovers.length > 1 ? <span className="shrink-0 text-warning">+{leftovers.length - 1}</span> : null}
      <span aria-hidden className="text-ink-faint">
        →
      </span>
      <span className="sr-only">, storage version </span>
      <span className="min-w-0 max-w-24 truncate">{storageVersion ?? "none"}</span>
    </Hint>
  );
}

function AllStored({ crd }: { crd: CrdSummary }) {
  return (
    <span className="flex flex-col gap-1">
      <span>
        Leftover, so the API server refuses to drop {crd.leftoverVersions.length === 1 ? "it" : "them"}:{" "}
        <span className="font-mono [overflow-wrap:anywhere]">{crd.leftoverVersions.join(", ")}</span>
      </span>
      <span className="text-ink-soft">
        status.storedVersions: <span className="font-mono [overflow-wrap:anywhere]">{JSON.stringify(crd.storedVersions)}</span>
      </span>
    </span>
  );
}
