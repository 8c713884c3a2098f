import type { Connection } from "#lib/cluster/connection.ts";
import { fleetOf } from "#lib/cluster/fleet.ts";
import { describeCrd } from "#lib/cluster/summarise-crd.ts";
import type { CrdDetail } from "#lib/contract/crd.ts";
import { knownCrd } from "./read-runs.ts";

/** One definition as its page shows it. Throws AppError not_found. */
export async function readDetail(connection: Connection, crdName: string, signal: AbortSignal): Promise<CrdDetail> {
  const crd = await knownCrd(connection, crdName, signal);
  return describeCrd(crd, fleetOf(connection).total(crdName), Date.now());
}
