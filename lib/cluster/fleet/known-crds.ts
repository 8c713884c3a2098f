import type { Connection } from "#lib/cluster/connection/connection.ts";
import { claimsIn } from "#lib/cluster/definitions/evidence/claims-in.ts";
import { noteDisproved } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { countAfterCleanings } from "#lib/cluster/definitions/evidence/ended-cleanings.ts";
import type { Undone } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { noteSeen } from "#lib/cluster/definitions/evidence/first-seen.ts";
import { noteRestore } from "#lib/cluster/definitions/evidence/note-restore.ts";
import { changedByOwnRuns, noteOwnRun } from "#lib/cluster/definitions/evidence/own-runs.ts";
import { forgetDefinition, forgetLater, keepRemembering, perDefinition } from "#lib/cluster/definitions/evidence/per-definition.ts";
import { rememberedCounts } from "#lib/cluster/definitions/evidence/remembered-counts.ts";
import { noteDoubt, rememberedDoubt } from "#lib/cluster/definitions/evidence/remembered-doubt.ts";
import { forgetLostVersions, lostVersions, noteShrink, rememberedShrink } from "#lib/cluster/definitions/evidence/remembered-shrink.ts";
import { withUnrecordedEnd } from "#lib/cluster/definitions/evidence/unrecorded-ends.ts";
import { changedByProvenRun, changedSince, countAfterChanges } from "#lib/domain/definition/broken-applies.ts";
import { isOutdated } from "#lib/domain/definition/contradiction.ts";
import { type Crd, hasCondition } from "#lib/domain/definition/crd.ts";
import { deletedState } from "#lib/domain/definition/is-older-state.ts";
import { unprovenShrink } from "#lib/domain/definition/unproven-shrink.ts";
import { countNotAbove } from "#lib/domain/objects/etcd-count.ts";
import type { ManagedFieldsCount } from "#lib/domain/objects/managed-fields-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { validProof } from "#lib/domain/record/valid-evidence.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";
import { statesOfFleet } from "./known-states.ts";

/** Kept after viewing ends: a version removed without proof stays unproven. */
const shrunk = perDefinition<string[]>("shrunk-without-proof");
/**
 * Which run's settle point a definition's record was last seen to call wrong, as text, null for none, and the definition's resourceVersion
 * then.
 */
const shownDisproofs = perDefinition<{ at: string; disproof: string | null }>("shown-disproofs");

/** One cluster's definitions as this process knows them: as last seen, plus what it remembers and its own runs. */
export interface KnownCrds {
  /** As last seen. */
  readonly seen: ReadonlyMap<string, Crd>;
  /** Adds this process's runs between two renewals, and other engines' migrations. */
  current(crd: Crd): Crd;
  /** Takes a definition just seen; null if a newer one is already known, or if it shows a restore. */
  upsert(crd: Crd): { before: Crd | null; now: Crd } | null;
  /** Whether a definition just seen was written to a restored etcd. Taken, it would hide that from the next list. */
  showsRestore(crd: Crd): boolean;
  /** Takes a deletion at this resourceVersion, unless a newer definition is known; with null, in any case. */
  remove(name: string, resourceVersion: string | null): boolean;
  /**
   * Takes a list for one of a restored etcd: forgets the definitions as last seen at up to `from`, and of what this process found about them
   * and those listed keeps only what may have been true at `to`.
   */
  restored(undone: Undone, listed: readonly Pick<Crd, "uid">[]): void;
  /** Forgets the definitions as last seen, for another cluster at the address. */
  startOver(): void;
  /** Forgets the definitions as last seen, after a restore that another fleet has noticed. */
  adopt(): void;
  /** Whether no other fleet of the cluster has noticed since that etcd was restored. */
  isCurrent(): boolean;
  /** Whether another one has, and this fleet has listed the definitions before that, and may list them. */
  isOutdated(): boolean;
  /** Takes the newest resourceVersion that the cluster is known to have reached. */
  heard(resourceVersion: string): void;
  /** The definitions may not be listed any more. */
  listDenied(): void;
  /** Takes a run of this process; null once the annotation is up to date. */
  noteRun(crdName: string, run: Run | null): void;
  /** Whether a run of this process is under way that uses this connection. */
  hasOwnRuns(): boolean;
  /**
   * Takes all migrations by resource name, each list the same one until something in it changes, and whether the cluster's own could be
   * listed. Returns the definitions they changed for.
   */
  noteMigrations(byResource: ReadonlyMap<string, Migration[]>, couldList: boolean): Crd[];
  /** Drops what the process remembers about these definitions elsewhere. */
  forget(): void;
}

export function knownCrds(connection: Connection): KnownCrds {
  const seen = new Map<string, Crd>();
  const states = statesOfFleet(connection);
  const runs = new Map<string, Run>();
  let migrations: ReadonlyMap<string, Migration[]> = new Map();
  let migrationsListed = false;
  const managedFields = rememberedManagedFields(connection);
  const forgetUid = (uid: string) => {
    managedFields.delete(uid);
    forgetDefinition(connection, uid);
  };
  const forgetDeleted = (uid: string) => {
    managedFields.delete(uid);
    forgetLater(connection, uid);
  };
  const managedFieldsCountOf = (crd: Crd) => {
    const count = managedFields.get(crd.uid);
    if (!count) return null;
    const byRuns = new Map([...changedByProvenRun(crd, count), ...changedByOwnRuns(connection, crd.uid, count)]);
    const uncleaned = countAfterCleanings(connection, crd.uid, count);
    const left = uncleaned && countAfterChanges(crd, uncleaned, changedSince(count, byRuns));
    if (left === null) managedFields.delete(crd.uid);
    return left;
  };

  const startOver = () => {
    seen.clear();
    states.startOver();
  };
  const adopt = () => {
    seen.clear();
    managedFields.clear();
    states.adopt();
  };
  let hasListed = false;

  return {
    seen,
    current(seenCrd) {
      const managedFieldsCount = managedFieldsCountOf(seenCrd);
      const crd = { ...seenCrd, managedFieldsCount, migrations: migrations.get(seenCrd.name) ?? [], migrationsListed };
      const run = runs.get(crd.name);
      const record = readableRecord(crd);
      if (!record) return crd;
      if (run && record.runs[0]?.id === run.id) return { ...crd, record: { ...record, runs: [run, ...record.runs.slice(1)] } };
      // It may have ended since the definition was last seen.
      return { ...crd, record: withUnrecordedEnd(connection, { uid: crd.uid, generation: null }, record) };
    },
    upsert(read) {
      // A restore may have been noticed since it was read.
      const crd = { ...read, claims: claimsIn(connection, read) };
      // A fleet that may not list will not notice a restore that another one has.
      if (!states.isCurrent() && !hasListed) adopt();
      const before = seen.get(crd.name) ?? null;
      // The watch may deliver an older state after this process noted its own write, even that of an earlier definition of this name. And the
      // answer to a write may come after a watch has told that the definition is deleted.
      const newest = before ?? states.deleted(crd.name);
      if (newest && compareResourceVersions(crd.resourceVersion, newest.resourceVersion) < 0) return null;
      if (states.showsRestore(crd.name, crd)) return null;
      states.note(crd.name, crd);
      keepRemembering(connection, crd.uid);
      noteSeen(connection, crd);
      noteDoubt(connection, crd);
      noteShownDisproof(connection, crd);
      // As last seen, too: a run may have fallen silent since.
      if (before?.uid === crd.uid) noteShrink(connection, before, Date.now());
      noteShrink(connection, crd, Date.now());
      if (validProof(crd)) forgetLostVersions(connection, crd.uid);
      const shrankWithoutProof = unprovenShrink(before, crd, shrunk.get(connection, crd.uid) ?? [], lostVersions(connection, crd.uid));
      if (shrankWithoutProof.length > 0) shrunk.set(connection, crd.uid, shrankWithoutProof);
      else shrunk.forget(connection, crd.uid);
      const etcdCount = rememberedCounts.get(connection, crd.uid) ?? null;
      if (etcdCount && isOutdated(crd, etcdCount)) rememberedCounts.forget(connection, crd.uid);
      if (before && before.uid !== crd.uid) forgetDeleted(before.uid);
      const known = { ...crd, rememberedDoubt: rememberedDoubt(connection, crd) };
      const remembered = { rememberedShrink: rememberedShrink(connection, known), managedFieldsCount: managedFieldsCountOf(known) };
      const now = { ...known, ...remembered, shrankWithoutProof, etcdCount: rememberedCounts.get(connection, crd.uid) ?? null };
      seen.set(crd.name, now);
      return { before, now };
    },
    showsRestore: (crd) => states.showsRestore(crd.name, crd),
    remove(name, resourceVersion) {
      const known = seen.get(name);
      if (!known || (resourceVersion !== null && compareResourceVersions(resourceVersion, known.resourceVersion) < 0)) return false;
      forgetDeleted(known.uid);
      if (resourceVersion !== null) states.note(name, deletedState(known, resourceVersion));
      return seen.delete(name);
    },
    restored({ to, from }, listed) {
      const uids = new Set([...seen.values(), ...listed].map(({ uid }) => uid));
      noteRestore(connection, uids, { to, from });
      for (const uid of uids) {
        managedFields.delete(uid);
        shownDisproofs.forget(connection, uid);
        const count = rememberedCounts.get(connection, uid);
        if (count) rememberedCounts.set(connection, uid, countNotAbove(count, to));
      }
      startOver();
    },
    startOver,
    adopt,
    isCurrent: states.isCurrent,
    isOutdated: () => hasListed && !states.isCurrent(),
    heard(resourceVersion) {
      hasListed = true;
      states.heard(resourceVersion);
    },
    listDenied() {
      hasListed = false;
    },
    hasOwnRuns: () => runs.size > 0,
    noteRun(crdName, run) {
      if (run) runs.set(crdName, run);
      else runs.delete(crdName);
      const uid = seen.get(crdName)?.uid;
      if (run && uid !== undefined) noteOwnRun(connection, uid, run);
    },
    noteMigrations(byResource, couldList) {
      const [before, wereListed] = [migrations, migrationsListed];
      [migrations, migrationsListed] = [byResource, couldList];
      const changed = ({ name }: Crd) => before.get(name) !== byResource.get(name);
      // A condition is trusted only if the migration that it names could be looked up, and an interrupted run's may be pending.
      const matters = (crd: Crd) => hasCondition(crd, "StorageMigrating") || (readableRecord(crd)?.runs[0]?.delegation ?? null) !== null;
      return [...seen.values()].filter((crd) => changed(crd) || (wereListed !== couldList && matters(crd)));
    },
    forget() {
      for (const { uid } of seen.values()) forgetUid(uid);
    },
  };
}

/**
 * On each call, checks whether any run is live, and reports those that no longer are: if a run's holder falls silent, its
 * definition's state changes although nothing is written.
 */
export function liveRuns(known: KnownCrds, onEnd: (crd: Crd) => void): () => boolean {
  const live = new Set<string>();
  return () => {
    for (const crd of known.seen.values()) {
      // Of most definitions there is nothing to look up, and everyone who views them looks once a second.
      const run = readableRecord(crd) && latestRun(known.current(crd), Date.now());
      if (run && isLive(run)) live.add(crd.name);
      else if (live.delete(crd.name)) onEnd(crd);
    }
    for (const name of live) if (!known.seen.has(name)) live.delete(name);
    return live.size > 0;
  };
}

/** A connection's newest complete count of each definition's managedFields, by uid. Others may not be allowed to list these objects. */
export function rememberedManagedFields(connection: Connection): Map<string, ManagedFieldsCount> {
  const remembered = processWide("managed-fields-counts", () => new WeakMap<Connection, Map<string, ManagedFieldsCount>>());
  const known = remembered.get(connection) ?? new Map<string, ManagedFieldsCount>();
  remembered.set(connection, known);
  return known;
}

/**
 * Notes it, once in this process, if a run, perhaps of another process, has found its settle point to be wrong: whatever stored the object so
 * may not be done. A fleet that lags behind, or that has just begun, tells nothing new.
 */
function noteShownDisproof(connection: Connection, crd: Crd): void {
  const known = shownDisproofs.get(connection, crd.uid);
  if (known && compareResourceVersions(crd.resourceVersion, known.at) <= 0) return;
  const record = readableRecord(crd);
  const isShown = record !== null && record.doubt !== null && record.settlePoint === null;
  // One that hasn't settled yet has disproved nothing.
  const settled = record?.runs.find(({ settleResourceVersion }) => settleResourceVersion !== null);
  const disproof = isShown ? `${settled?.id} ${settled?.settleResourceVersion}` : null;
  if (disproof !== null && disproof !== known?.disproof) noteDisproved(connection, crd.uid);
  shownDisproofs.set(connection, crd.uid, { at: crd.resourceVersion, disproof });
}
