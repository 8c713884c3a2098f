import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { fleetOf } from "./fleet-of.ts";

/** The definition right now, which the connection's fleet takes ahead of its watch. Throws the errors of reading it. */
export async function readIntoFleet(connection: Connection, name: string, signal: AbortSignal): Promise<Crd> {
  const note = fleetOf(connection).beginRead();
  const { crd } = await readCrd(connection, name, signal);
  note(crd);
  return crd;
}
