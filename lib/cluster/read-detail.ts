import type { CrdDetail } from "#lib/contract/crd.ts";
import type { Connection } from "./connection.ts";
import { fleetOf } from "./fleet.ts";
import { protectionOf } from "./protection-of.ts";
import { knownCrd } from "./read-runs.ts";
import { describeCrd } from "./summarise-crd.ts";

/** One definition as its page shows it. Throws AppError not_found. */
export async function readDetail(connection: Connection, crdName: string, signal: AbortSignal): Promise<CrdDetail> {
  const crd = await knownCrd(connection, crdName, signal);
  const fleet = fleetOf(connection);
  const others = fleet.crds().filter(({ group }) => group === crd.group);
  return { ...describeCrd(crd, fleet.total(crdName), Date.now(), others), protection: protectionOf(crdName) };
}
