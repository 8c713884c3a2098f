import { type ContextAddress, contextKey } from "#lib/cluster/connection/cluster-key.ts";
import { oldestBeyond } from "#lib/cluster/connection/oldest-beyond.ts";
import { isDeleted, isOlderState, type StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/**
 * The newest of a context's cluster that all of its fleets in this process know, also those that have ended: etcd may be restored while
 * nobody looks.
 */
export interface KnownStates {
  /** The resourceVersion that was heard last; empty when none was. */
  readonly heard: string;
  /** When that was, in ms since the epoch. */
  readonly heardAt: number;
  /** By name, deleted ones too. */
  readonly states: ReadonlyMap<string, StateOfDefinition>;
}

/** Of deleted definitions. */
const MOST_DELETED = 1_000;

interface Era {
  heard: string;
  heardAt: number;
  states: Map<string, StateOfDefinition>;
  /** Oldest deletion first. */
  deleted: Set<string>;
}

/** One fleet's part in them. What it tells counts only until another fleet starts over, and then from its own next list on. */
export interface StatesOfFleet {
  /** Whether no other fleet has started over since this one began, or last started over. */
  isCurrent(): boolean;
  /** The state of a deleted definition; null for any other. */
  deleted(name: string): StateOfDefinition | null;
  /** Whether this state was written to a restored etcd: it is older than the one known, but its resourceVersion is not, so it isn't late. */
  showsRestore(name: string, state: StateOfDefinition): boolean;
  note(name: string, state: StateOfDefinition): void;
  heard(resourceVersion: string): void;
  /** Takes what is known since another fleet has started over. */
  adopt(): void;
  /** Forgets, for all fleets, what was known before a restore. */
  startOver(): void;
}

/** What is known now, and whether no fleet has started over since. */
export function knownStates(context: ContextAddress): KnownStates & { isCurrent(): boolean } {
  const { heard, heardAt, states } = eraOf(contextKey(context));
  return { heard, heardAt, states: new Map(states), isCurrent: fromNowOn(context) };
}

/** Returns what tells whether no fleet of this context has started over since this call: what was asked for by then may be undone. */
export function fromNowOn(context: ContextAddress): () => boolean {
  const key = contextKey(context);
  const era = eraOf(key);
  return () => era === eraOf(key);
}

/** The newest state known of one name; null if there is none, or nobody has listed the cluster, so that nothing would tell of a restore. */
export function lastKnown(context: ContextAddress, name: string): StateOfDefinition | null {
  return stateIn(eraOf(contextKey(context)), name);
}

function stateIn({ heard, states }: Era, name: string): StateOfDefinition | null {
  return heard === "" ? null : (states.get(name) ?? null);
}

/** For a new fleet of this context. */
export function statesOfFleet(context: ContextAddress): StatesOfFleet {
  const key = contextKey(context);
  let own = eraOf(key);
  const isCurrent = () => own === eraOf(key);
  return {
    isCurrent,
    deleted(name) {
      const known = isCurrent() ? own.states.get(name) : null;
      return known && isDeleted(known) ? known : null;
    },
    showsRestore(name, state) {
      const known = isCurrent() ? stateIn(own, name) : null;
      return known !== null && isOlderState(state, known) && compareResourceVersions(state.resourceVersion, known.resourceVersion) >= 0;
    },
    note(name, { uid, resourceVersion, generation }) {
      const [known, state] = [own.states.get(name), { uid, resourceVersion, generation }];
      if (!isCurrent() || (known && compareResourceVersions(resourceVersion, known.resourceVersion) < 0)) return;
      own.states.set(name, state);
      own.deleted.delete(name);
      if (!isDeleted(state)) return;
      own.deleted.add(name);
      for (const oldest of oldestBeyond(own.deleted, MOST_DELETED)) {
        own.deleted.delete(oldest);
        own.states.delete(oldest);
      }
    },
    heard(resourceVersion) {
      if (!isCurrent() || compareResourceVersions(resourceVersion, own.heard) < 0) return;
      own.heard = resourceVersion;
      own.heardAt = Date.now();
    },
    adopt() {
      own = eraOf(key);
    },
    startOver() {
      eras().set(key, newEra());
      own = eraOf(key);
    },
  };
}

function eraOf(key: string): Era {
  const known = eras().get(key) ?? newEra();
  eras().set(key, known);
  return known;
}

function newEra(): Era {
  return { heard: "", heardAt: 0, states: new Map(), deleted: new Set() };
}

/** What is known since the last restore of each context's cluster, by contextKey. */
function eras(): Map<string, Era> {
  return processWide("known-states", () => new Map());
}
