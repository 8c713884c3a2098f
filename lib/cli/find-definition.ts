import { distance } from "fastest-levenshtein";
import { listCrdNames } from "#lib/cluster/definitions/list-crd-names.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { ClusterInvocation } from "./arguments/parse-arguments.ts";
import type { CommandContext } from "./command-context.ts";

/** The full name of the definition on the command line. Throws AppError not_found, or invalid_input with the candidates. */
export async function findDefinition({ definition }: ClusterInvocation, { connection, stop, program }: CommandContext): Promise<string> {
  return chooseDefinition(await listCrdNames(connection, stop.signal), definition, { cluster: connection.name, program });
}

/**
 * The name that the user means: the full name, or the plural alone if it is unique, as kubectl accepts it. `cluster` and `program`
 * appear in error messages.
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
    throw new AppError("not_found", `${cluster} has no definition ${written}.`, {
      nextStep: `${alike.length > 0 ? `Did you mean ${alike.join(" or ")}? ` : ""}See "${program} status" for all definitions.`,
    });
  }
  if (candidates.length > 1) {
    throw new AppError("invalid_input", `${candidates.length} definitions have the plural ${written}.`, {
      nextStep: `Use a full name: ${candidates.join(", ")}.`,
      details: { candidates },
    });
  }
  return only;
}

/** The most suggestions that are still helpful. */
const MOST_ALIKE = 4;

// An exact plural in any group, or a slightly misspelled plural in the given group, or in any group if none is given.
function namesAlike(names: readonly string[], wanted: string): string[] {
  const plural = pluralOf(wanted);
  const group = wanted.slice(plural.length);
  const most = Math.min(2, Math.floor(plural.length / 3));
  const near = names
    .filter((name) => pluralOf(name) === plural || group === "" || name.slice(pluralOf(name).length) === group)
    .map((name) => ({ name, wrong: distance(pluralOf(name), plural) }))
    .filter(({ wrong }) => wrong <= most)
    .toSorted((one, other) => one.wrong - other.wrong || (one.name < other.name ? -1 : 1));
  return near.slice(0, MOST_ALIKE).map(({ name }) => name);
}

function pluralOf(name: string): string {
  return name.split(".", 1)[0] ?? name;
}
