import type { CrdList, CrdSummary, ObjectTotal } from "#lib/contract/definition/crd.ts";
import { crdStates, stateWords } from "#lib/domain/definition/crd-state.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { table } from "./table.ts";

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

/** The number of objects, or its basis if there is none; `~` marks one that comes from metrics. */
export function totalOf({ total, basis }: ObjectTotal): string {
  switch (basis) {
    case "list":
      return formatCount(total);
    case "metrics":
      return `~${formatCount(total)}`;
    case "denied":
    case "failed":
    case "unknown":
      return basis;
    default:
      return basis satisfies never;
  }
}

function totals(items: readonly CrdSummary[]): string {
  const counts = crdStates.flatMap((state) => {
    const count = items.filter((crd) => crd.state === state).length;
    return count > 0 ? [`${formatCount(count)} ${stateWords[state]}`] : [];
  });
  return `${formatCountOf(items.length, "definition")}: ${counts.join(", ")}`;
}
