import type { Conversion } from "#lib/contract/definition/conversion.ts";
import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";

type Flags = Pick<CrdVersion, "name" | "served" | "storage">;
type Compared = Pick<Conversion, "strategy" | "pairs" | "differences" | "differencesComplete">;

/** What comparing the versions' schemas found: a heading, and what wasn't compared. Either is null when there is nothing to say. */
export function comparisonWords(compared: Compared, versions: readonly Flags[]): { heading: string | null; uncompared: string | null } {
  const names = versions.filter(({ served, storage }) => !served && !storage).map(({ name }) => name);
  return { heading: headingOf(compared, versions.length, names.length === 0), uncompared: names.length === 0 ? null : uncomparedOf(names) };
}

function headingOf(
  { strategy, pairs, differences, differencesComplete }: Compared,
  versions: number,
  everyVersion: boolean,
): string | null {
  if (differences.length > 0) {
    return strategy === "None"
      ? "Fields dropped when converting between versions"
      : "Fields that the webhook must carry over, since the other version has no field with that path";
  }
  if (versions < 2) return "There is only one version, so nothing is converted.";
  if (pairs === 0) return null;
  return differencesComplete && everyVersion ? "All versions have the same fields." : "No difference was found.";
}

// The API server converts requests only to served versions and the storage version, so no other pair is compared.
function uncomparedOf(names: readonly string[]): string {
  const [isnt, them] = names.length === 1 ? ["isn't", "it"] : ["aren't", "them"];
  return `${firstOf(names)} ${isnt} served, so conversions to ${them} weren't compared. Server-side apply may still convert to ${them}.`;
}
