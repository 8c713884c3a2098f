import type { Connection } from "#lib/cluster/connection/connection.ts";
import { isDeleted, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

type Cluster = Pick<Connection, "server">;

/** The newest of a cluster that all of its fleets in this process know, also those that have ended: etcd may be restored while nobody looks. */
export interface KnownStates {
  /** The resourceVersion that was heard last; empty when none was. */
  readonly heard: string;
  /** By name, deleted ones too. */
  readonly states: ReadonlyMap<string, StateOfDefinition>;
}

/** Of deleted definitions. */
const MOST_DELETED = 1_000;

interface Era {
  heard: string;
  states: Map<string, StateOfDefinition>;
  /** The last one deleted last. */
  deleted: Set<string>;
}

/** One fleet's part in them. What it tells counts only until another fleet starts over, and then from its own next list on. */
export interface StatesOfFleet {
  /** Whether no other fleet has started over since this one began, or last started over. */
  isCurrent(): boolean;
  /** Its state if it was deleted; null otherwise. */
  deleted(name: string): StateOfDefinition | null;
  note(name: string, state: StateOfDefinition): void;
  heard(resourceVersion: string): void;
  /** Forgets what was known before a restore. If another fleet has already done so, takes what it knows. */
  startOver(): void;
}

/** What is known now. */
export function knownStates(cluster: Cluster): KnownStates {
  const { heard, states } = eraOf(cluster);
  return { heard, states: new Map(states) };
}

/** The newest state known of one name; null if there is none, or nobody has listed the cluster, so that nothing would tell of a restore. */
export function lastKnown(cluster: Cluster, name: string): StateOfDefinition | null {
  const { heard, states } = eraOf(cluster);
  return heard === "" ? null : (states.get(name) ?? null);
}

/** For a new fleet of this cluster. */
export function statesOfFleet(cluster: Cluster): StatesOfFleet {
  let own = eraOf(cluster);
  const isCurrent = () => own === eraOf(cluster);
  return {
    isCurrent,
    deleted(name) {
      const known = isCurrent() ? own.states.get(name) : null;
      return known && isDeleted(known) ? known : null;
    },
    note(name, { uid, resourceVersion, generation }) {
      const known = own.states.get(name);
      if (!isCurrent() || (known && compareResourceVersions(resourceVersion, known.resourceVersion) < 0)) return;
      own.states.set(name, { uid, resourceVersion, generation });
      own.deleted.delete(name);
      if (!isDeleted({ uid, resourceVersion, generation })) return;
      own.deleted.add(name);
      for (const oldest of [...own.deleted].slice(0, Math.max(0, own.deleted.size - MOST_DELETED))) {
        own.deleted.delete(oldest);
        own.states.delete(oldest);
      }
    },
    heard(resourceVersion) {
      if (isCurrent() && compareResourceVersions(resourceVersion, own.heard) > 0) own.heard = resourceVersion;
    },
    startOver() {
      if (isCurrent()) eras().set(cluster.server, newEra());
      own = eraOf(cluster);
    },
  };
}

function eraOf({ server }: Cluster): Era {
  const known = eras().get(server) ?? newEra();
  eras().set(server, known);
  return known;
}

function newEra(): Era {
  return { heard: "", states: new Map(), deleted: new Set() };
}

/** What is known since the last restore of each cluster, by the cluster's address. */
function eras(): Map<string, Era> {
  return processWide("known-states", () => new Map());
}
