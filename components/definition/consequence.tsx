import type { ReactNode } from "react";
import { nameVersions } from "#components/crd/name-versions.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";

/** What the state means for the leftover versions. */
export function Consequence({ crd }: { crd: CrdDetail }): ReactNode {
  const leftovers = nameVersions(crd.leftoverVersions);
  const one = crd.leftoverVersions.length === 1;
  const it = one ? "it" : "them";
  switch (crd.state) {
    case "needs-rewrite":
      return (
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          Until the objects are rewritten and {leftovers} {one ? "leaves" : "leave"} storedVersions, the API server refuses to drop {it}.
        </p>
      );
    case "prunable":
      return (
        <p className="text-ink-soft [overflow-wrap:anywhere]">
          Once {leftovers} {one ? "is" : "are"} pruned from storedVersions, the API server lets {it} be dropped.
        </p>
      );
    case "current":
      return <p className="text-ink-soft">No leftover version stands in the way of a removal.</p>;
    case "blocked":
    case "rewriting":
    case "unknown":
      return null;
    default:
      return crd.state satisfies never;
  }
}
