import { mapInShortTurns } from "#lib/async/map-in-short-turns.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { summarizeCrd } from "#lib/cluster/definitions/summarize-crd.ts";
import type { CrdList } from "#lib/contract/definition/crd.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { awaitLook } from "./await-look.ts";
import type { Fleet } from "./fleet.ts";
import { fleetOf } from "./fleet-of.ts";

/** All definitions, worst state first, then by name, once they have been listed. */
export async function listSummaries(connection: Connection, signal: AbortSignal): Promise<CrdList> {
  return summariesOf(await listedFleet(connection, signal), { person: connection.person(), signal });
}

/** A cluster's fleet once its definitions have been listed, and usually other engines' migrations. */
export async function listedFleet(connection: Connection, signal: AbortSignal): Promise<Fleet> {
  const fleet = fleetOf(connection);
  await fleet.listed(signal);
  await awaitLook(fleet, signal);
  return fleet;
}

/** What listSummaries gives, of a fleet that has listed. `person` is who asks, and takes turns with others. */
export async function summariesOf(fleet: Fleet, { person, signal }: { person: string; signal: AbortSignal }): Promise<CrdList> {
  const now = Date.now();
  // Before the others have their turn: what they hear meanwhile may not be in the list.
  const { resourceVersion, asOf, stale } = fleet.freshness();
  const otherEngines = fleet.otherEngines();
  const items = await mapInShortTurns(fleet.crds(), (crd) => summarizeCrd(crd, fleet.total(crd.name), now), { person, signal });
  items.sort((a, b) => crdStates.indexOf(a.state) - crdStates.indexOf(b.state) || (a.name < b.name ? -1 : 1));
  return { items, resourceVersion, otherEngines, asOf, stale };
}
