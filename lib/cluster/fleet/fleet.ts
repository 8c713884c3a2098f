import type { CountedTotal } from "#lib/cluster/objects/object-totals.ts";
import type { AppError } from "#lib/contract/app-error.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import type { OtherEngines } from "#lib/contract/rewrite/migration.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { StateOfDefinition } from "#lib/domain/definition/is-older-state.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { FleetFreshness } from "./fleet-freshness.ts";

/** One cluster's definitions, kept up to date by a watch while someone is viewing them. */
export interface Fleet {
  /** Resolves once the definitions are listed. Throws the cluster's error while they can't be. */
  listed(signal: AbortSignal): Promise<void>;
  /** Resolves once other engines' migrations were asked for lately, whatever the outcome. Throws the signal's reason. */
  lookedForMigrations(signal: AbortSignal): Promise<void>;
  /** What is known of other engines' migrations, for all definitions. */
  otherEngines(): OtherEngines;
  crds(): Crd[];
  /** Those of one group. */
  crdsIn(group: string): Crd[];
  crd(name: string): Crd | null;
  /** The same as the cluster has it, without the state of this process's own run. */
  lastSeen(name: string): Crd | null;
  /** The newest state of this name that any fleet of this cluster knows, or knew when it ended, also if it was deleted. */
  lastKnown(name: string): StateOfDefinition | null;
  total(name: string): CountedTotal;
  freshness(): FleetFreshness;
  /** Why its definitions may not be listed: one that it doesn't know may exist all the same. Null if they may, as far as is known. */
  listDenial(): AppError | null;
  /** Whether there are subscribers or followers. */
  isWatched(): boolean;
  /** Whether it has stopped following the cluster, and sends no more events. */
  hasEnded(): boolean;
  /**
   * Sends changes from now on, for people: while many definitions change, one may wait for its turn, and then has what it has become.
   * Returns the function that unsubscribes.
   */
  subscribe(listener: (event: ServerEvent) => void): () => void;
  /**
   * Calls back at once for every change of a definition, for work that must stop then: with what it is now, or null once it is gone.
   * Returns the function that unsubscribes.
   */
  follow(crdName: string, onChange: (now: Crd | null) => void): () => void;
  /** Lists the definitions now: what it knows of one is newer than what the cluster has. */
  listAgain(): void;
  /**
   * Call it before a definition is read or written. The function that it returns takes the answer, ahead of the watch, unless a restore was
   * noticed meanwhile: the answer may be from before it, and would pass for the newest.
   */
  beginRead(): (crd: Crd) => void;
  /** Takes a definition that this fleet knows already, to tell of what else is known of it. */
  noteCrd(crd: Crd): void;
  /** Tells subscribers of a definition again, by what else is known of it. */
  tellOf(crdName: string): void;
  /** Takes this process's own run between two renewals; null once the annotation is up to date. */
  noteRun(crdName: string, run: Run | null): void;
  /** Stops asking the cluster; what is known and noted stays. */
  silence(): void;
  /** Stops following the cluster and forgets everything; the next fleetOf starts over. */
  stop(): void;
  /** Stops because the cluster rejected the credentials, and fails all waiting calls. What other parts of this process need stays. */
  refuse(error: unknown): void;
  /** Aborts with the error once the credentials are rejected, for work that uses them. */
  readonly refused: AbortSignal;
}
