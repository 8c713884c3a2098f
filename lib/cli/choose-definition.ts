import { AppError } from "#lib/contract/app-error.ts";

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
    const alike = names.filter((name) => pluralOf(name) === pluralOf(wanted));
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

function pluralOf(name: string): string {
  return name.split(".", 1)[0] ?? name;
}
