import { type ClusterAddress, clusterKey } from "#lib/cluster/connection/cluster-key.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import type { Fleet } from "./fleet.ts";
import { startFleet } from "./start-fleet.ts";

/**
 * The fleet of a connection; it follows the cluster from the first call until ten minutes after the last, or until seconds after the
 * connection is pushed out.
 */
export function fleetOf(connection: Connection): Fleet {
  const fleets = allFleets();
  const known = fleets.get(connection);
  if (known) return known;
  const stop = new AbortController();
  const fleet = startFleet(connection, stop.signal, () => {
    fleets.delete(connection);
    stop.abort(new Error("no one is viewing this cluster any more"));
  });
  fleets.set(connection, fleet);
  return fleet;
}

/** The fleets of one cluster, whoever's they are. */
export function fleetsOfCluster(cluster: ClusterAddress): Fleet[] {
  const key = clusterKey(cluster);
  return [...allFleets()].flatMap(([connection, fleet]) => (clusterKey(connection) === key ? [fleet] : []));
}

/**
 * The fleets of the same owner's other connections to the address: whoever connects after the credentials were replaced has another
 * connection than the runs that began before.
 */
export function otherFleetsOfOwner(connection: Connection): Fleet[] {
  const key = clusterKey(connection);
  const isOther = (one: Connection) => one !== connection && one.audience === connection.audience && clusterKey(one) === key;
  return [...allFleets()].flatMap(([one, fleet]) => (isOther(one) ? [fleet] : []));
}

/**
 * Discards a connection whose credentials the cluster rejected: the next connect makes a new one. Its fleet ends now, not after ten
 * minutes without viewers, and so do the runs that use the connection.
 */
export function forgetRefused(connection: Connection, error: unknown): void {
  connection.discard();
  allFleets().get(connection)?.refuse(error);
}

/** For shutdown: stops all requests from this process's fleets. */
export function silenceFleets(): void {
  for (const fleet of allFleets().values()) fleet.silence();
}

/**
 * How long the watch of definitions has been silent, in ms: the longest of all fleets being viewed, or 0 if there are none. Fleets
 * that were never listed don't count: missing permissions are not an outage.
 */
export function longestSilence(): number {
  const seen = [...allFleets().values()].filter((fleet) => fleet.isWatched() && fleet.freshness().resourceVersion !== "");
  const silences = seen.map((fleet) => Date.now() - Date.parse(fleet.freshness().asOf));
  return Math.max(0, ...silences);
}

function allFleets(): Map<Connection, Fleet> {
  return processWide("fleets", () => new Map());
}
