import { isDeepStrictEqual } from "node:util";
import { rememberedCounts } from "#lib/cluster/etcd/remembered-counts.ts";
import { isOutdated } from "#lib/domain/definition/contradiction.ts";
import { type Crd, hasCondition } from "#lib/domain/definition/crd.ts";
import { unprovenShrink } from "#lib/domain/definition/unproven-shrink.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { type Run, readableRecord } from "#lib/domain/rewrite/run.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** The definitions of one cluster as this process knows them: as last seen, with what it remembers and does itself. */
export interface KnownCrds {
  /** As last seen. */
  readonly seen: ReadonlyMap<string, Crd>;
  /** With the runs of this process as they are between two renewals, and with what other engines do. */
  current(crd: Crd): Crd;
  /** Takes what was seen; null when something newer is known already. */
  upsert(crd: Crd): { before: Crd | null; now: Crd } | null;
  remove(name: string): boolean;
  /** A run of this process; null when the annotation says it all again. */
  noteRun(crdName: string, run: Run | null): void;
  /** All migrations, by the resource's name, and whether the cluster's own could be listed; gives the definitions for which they changed. */
  noteMigrations(byResource: ReadonlyMap<string, Migration[]>, isTold: boolean): Crd[];
  /** Drops what is remembered of these definitions beyond this. */
  forget(): void;
}

export function knownCrds(): KnownCrds {
  const seen = new Map<string, Crd>();
  const runs = new Map<string, Run>();
  let migrations: ReadonlyMap<string, Migration[]> = new Map();
  let migrationsTold = false;
  // By uid, and beyond this cluster's being looked at: what was taken out unproven stays unproven.
  const shrunk = processWide("shrunk-without-proof", () => new Map<string, string[]>());
  const counts = rememberedCounts();
  const forgetUid = (uid: string) => {
    shrunk.delete(uid);
    counts.delete(uid);
  };

  return {
    seen,
    current(seenCrd) {
      const crd = { ...seenCrd, migrations: migrations.get(seenCrd.name) ?? [], migrationsTold };
      const run = runs.get(crd.name);
      const record = readableRecord(crd);
      if (!run || record?.runs[0]?.id !== run.id) return crd;
      return { ...crd, record: { ...record, runs: [run, ...record.runs.slice(1)] } };
    },
    upsert(crd) {
      const before = seen.get(crd.name) ?? null;
      // Our own write may have been noted before the watch delivers something older.
      if (before?.uid === crd.uid && compareResourceVersions(crd.resourceVersion, before.resourceVersion) < 0) return null;
      const shrankWithoutProof = unprovenShrink(before, crd, shrunk.get(crd.uid) ?? []);
      if (shrankWithoutProof.length > 0) shrunk.set(crd.uid, shrankWithoutProof);
      else shrunk.delete(crd.uid);
      const etcdCount = counts.get(crd.uid) ?? null;
      if (etcdCount && isOutdated(crd, etcdCount)) counts.delete(crd.uid);
      if (before && before.uid !== crd.uid) forgetUid(before.uid);
      const now = { ...crd, shrankWithoutProof, etcdCount: counts.get(crd.uid) ?? null };
      seen.set(crd.name, now);
      return { before, now };
    },
    remove(name) {
      forgetUid(seen.get(name)?.uid ?? "");
      return seen.delete(name);
    },
    noteRun(crdName, run) {
      if (run) runs.set(crdName, run);
      else runs.delete(crdName);
    },
    noteMigrations(byResource, isTold) {
      const [before, wasTold] = [migrations, migrationsTold];
      [migrations, migrationsTold] = [byResource, isTold];
      const changed = ({ name }: Crd) => !isDeepStrictEqual(before.get(name), byResource.get(name));
      // Whether a condition is believed hangs on whether the migration that it names could be looked for.
      return [...seen.values()].filter((crd) => changed(crd) || (wasTold !== isTold && hasCondition(crd, "StorageMigrating")));
    },
    forget() {
      for (const { uid } of seen.values()) forgetUid(uid);
    },
  };
}
