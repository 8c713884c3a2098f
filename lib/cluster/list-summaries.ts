import type { CrdList } from "#lib/contract/crd.ts";
import { crdStates } from "#lib/domain/crd-state.ts";
import type { Connection } from "./connection.ts";
import { fleetOf } from "./fleet.ts";
import { summariseCrd } from "./summarise-crd.ts";

/** The whole fleet, worst state first, then by name. */
export async function listSummaries(connection: Connection, signal: AbortSignal): Promise<CrdList> {
  const fleet = fleetOf(connection);
  await fleet.listed(signal);
  const now = Date.now();
  const items = fleet.crds().map((crd) => summariseCrd(crd, fleet.total(crd.name), now));
  items.sort((a, b) => crdStates.indexOf(a.state) - crdStates.indexOf(b.state) || (a.name < b.name ? -1 : 1));
  const { resourceVersion, asOf, stale } = fleet.status();
  return { items, resourceVersion, asOf, stale };
}
