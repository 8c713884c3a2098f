import { table } from "#lib/cli/terminal/table.ts";
import type { CrdList, CrdSummary } from "#lib/contract/definition/crd.ts";
import { crdStates, stateWords } from "#lib/domain/definition/crd-state.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { totalOf } from "./describe-definition.ts";

/** All definitions in the given order, and the number in each state. */
export function describeFleet({ items }: CrdList): string {
  if (items.length === 0) return "No definitions found.";
  const rows = items.map((crd) => [
    crd.name,
    stateWords[crd.state],
    crd.storageVersion ?? "none",
    crd.storedVersions.join(",") || "none",
    totalOf(crd.objects),
    crd.stateReason,
  ]);
  return `${table([["NAME", "STATE", "STORAGE", "STORED", "OBJECTS", "WHY"], ...rows])}\n\n${totals(items)}`;
}

function totals(items: readonly CrdSummary[]): string {
  const counts = crdStates.flatMap((state) => {
    const count = items.filter((crd) => crd.state === state).length;
    return count > 0 ? [`${formatCount(count)} ${stateWords[state]}`] : [];
  });
  return `${formatCountOf(items.length, "definition")}: ${counts.join(", ")}`;
}
