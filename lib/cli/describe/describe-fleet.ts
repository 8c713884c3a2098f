import type { CrdList, CrdSummary, ObjectTotal } from "#lib/contract/definition/crd.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { counted, formatCount } from "#lib/domain/wording/counted.ts";
import { table } from "./table.ts";

/** All definitions as they come, and how many are in each state. */
export function describeFleet({ items }: CrdList): string {
  if (items.length === 0) return "There are no definitions.";
  const rows = items.map((crd) => [
    crd.name,
    crd.state,
    crd.storageVersion ?? "none",
    crd.storedVersions.join(",") || "none",
    totalOf(crd.objects),
    crd.stateReason,
  ]);
  return `${table([["NAME", "STATE", "STORAGE", "STORED", "OBJECTS", "WHY"], ...rows])}\n\n${totals(items)}`;
}

/** How many objects there are, with how that is known where it is not from a list. */
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
    return count > 0 ? [`${formatCount(count)} ${state}`] : [];
  });
  return `${counted(items.length, "definition")}: ${counts.join(", ")}`;
}
