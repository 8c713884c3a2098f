import { AppError } from "#lib/contract/app-error.ts";
import { editDistance } from "#lib/settings/misspelt.ts";

/**
 * The one of these names that was meant by what was written as kubectl takes it: whole, or the plural alone where one definition has
 * that. `cluster` and `program` are for the words.
 * @throws AppError not_found, or invalid_input with the candidates.
 */
export function chooseDefinition(
  names: readonly string[],
  written: string,
  { cluster, program }: { cluster: string; program: string },
): string {
  const wanted = written.toLowerCase();
  if (names.includes(wanted)) return wanted;
  const candidates = names.filter((name) => pluralOf(name) === wanted).toSorted();
  const [only] = candidates;
  if (only === undefined) {
    const alike = namesAlike(names, wanted);
    throw new AppError("not_found", `There is no definition ${written} in ${cluster}.`, {
      nextStep: `${alike.length > 0 ? `Did you mean ${alike.join(" or ")}? ` : ""}See "${program} status" for all.`,
    });
  }
  if (candidates.length > 1) {
    throw new AppError("invalid_input", `${candidates.length} definitions have the plural ${written}.`, {
      nextStep: `Write the whole name, one of ${candidates.join(", ")}.`,
      details: { candidates },
    });
  }
  return only;
}

/** More than these are no help. */
const MOST_ALIKE = 4;

// The plural as it is, in any group; or else misspelt a little, in the group that was written, if any was.
function namesAlike(names: readonly string[], wanted: string): string[] {
  const plural = pluralOf(wanted);
  const group = wanted.slice(plural.length);
  const most = Math.min(2, Math.floor(plural.length / 3));
  const near = names
    .filter((name) => pluralOf(name) === plural || group === "" || name.slice(pluralOf(name).length) === group)
    .map((name) => ({ name, distance: editDistance(pluralOf(name), plural, most) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1));
  return near.slice(0, MOST_ALIKE).map(({ name }) => name);
}

function pluralOf(name: string): string {
  return name.split(".", 1)[0] ?? name;
}
