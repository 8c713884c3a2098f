import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readExactCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { refuseOlder } from "#lib/rewrite/guards/older-state.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";

/**
 * The current definition, with the migrations of other engines, for a change of a spec that the caller has seen; `exact` is as it was read.
 * The definition is read last, so that the change is of what was checked.
 * @throws AppError precondition_failed if the generation is not the expected one, or if it is older than this process knows it.
 */
export async function readForChange(
  connection: Connection,
  crdName: string,
  expectedGeneration: number | undefined,
  signal: AbortSignal,
): Promise<{ crd: Crd; exact: ExactJson }> {
  const migrations = await readMigrationsOf(connection, crdName, signal);
  const known = fleetOf(connection).lastKnown(crdName);
  const { crd, exact } = await readExactCrd(connection, crdName, signal);
  refuseOlder(connection, crd, known);
  refuseOtherGeneration(crd, expectedGeneration);
  return { crd: { ...crd, ...migrations }, exact };
}

function refuseOtherGeneration(crd: Crd, expected: number | undefined): void {
  if (expected === undefined || expected === crd.generation) return;
  const flags = crd.versions.map(({ name, served, storage, deprecated }) =>
    [name, served ? "served" : "not served", storage && "storage", deprecated && "deprecated"].filter(Boolean).join(" "),
  );
  throw refuse({
    message: `The spec has changed since you looked at it: its generation is ${crd.generation}, not ${expected}. Its versions are now: ${flags.join(", ")}.`,
    nextStep: "Review the current spec, then decide.",
  });
}

/** Throws AppError not_found unless the version is in spec.versions. */
export function refuseUnknownVersion({ name, versions }: Pick<Crd, "name" | "versions">, version: string): void {
  if (versions.some((one) => one.name === version)) return;
  throw new AppError("not_found", `${name} has no version ${version}.`, { nextStep: "Look at its versions on the definition's page." });
}
