import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noSuchDefinition } from "#lib/cluster/definitions/crds.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { fleetOf } from "./fleet-of.ts";

/** The definition as the fleet knows it. Throws AppError not_found, or forbidden if it may exist, but can't be listed. */
export async function readKnownCrd(connection: Connection, crdName: string, signal: AbortSignal): Promise<Crd> {
  const fleet = fleetOf(connection);
  await fleet.listed(signal);
  const crd = fleet.crd(crdName);
  if (!crd) throw fleet.listDenial() ?? noSuchDefinition(connection, crdName);
  return crd;
}
