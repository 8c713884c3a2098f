import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

type Cluster = Pick<Connection, "server">;

/** What was known of a cluster before its definitions were asked for. */
export interface Known {
  /** The resourceVersion that was heard last; empty when none was. */
  heard: string;
  /** By name, deleted ones too. */
  seen: ReadonlyMap<string, StateOfDefinition>;
}

/** Leaves what a fleet knew at its end for the next one, which may begin days later: nobody follows the cluster if etcd is restored meanwhile. */
export function leaveKnown({ server }: Cluster, { heard, seen }: Known): void {
  if (compareResourceVersions(heard, left().get(server)?.heard ?? "") <= 0) return;
  const states = [...seen].map(([name, { uid, resourceVersion, generation }]) => [name, { uid, resourceVersion, generation }] as const);
  left().set(server, { heard, seen: new Map(states) });
}

/** What the fleets of a cluster that have ended left; null if there is nothing. */
export function leftKnown({ server }: Cluster): Known | null {
  return left().get(server) ?? null;
}

/** Forgets it once a restore is noticed: it is about what is gone. */
export function forgetLeftKnown({ server }: Cluster): void {
  left().delete(server);
}

/** By the cluster's address. */
function left(): Map<string, Known> {
  return processWide("left-known", () => new Map());
}
