import { isDeepStrictEqual } from "node:util";
import { rememberedCounts } from "#lib/cluster/etcd/remembered-counts.ts";
import { isOutdated } from "#lib/domain/definition/contradiction.ts";
import { type Crd, hasCondition } from "#lib/domain/definition/crd.ts";
import { unprovenShrink } from "#lib/domain/definition/unproven-shrink.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { readableRecord } from "#lib/domain/rewrite/valid-proof.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** One cluster's definitions as this process knows them: as last seen, plus what it remembers and its own runs. */
export interface KnownCrds {
  /** As last seen. */
  readonly seen: ReadonlyMap<string, Crd>;
  /** Adds this process's runs between two renewals, and other engines' migrations. */
  current(crd: Crd): Crd;
  /** Takes a definition just seen; null if a newer one is already known. */
  upsert(crd: Crd): { before: Crd | null; now: Crd } | null;
  remove(name: string): boolean;
  /** Takes a run of this process; null once the annotation is up to date. */
  noteRun(crdName: string, run: Run | null): void;
  /** Takes all migrations by resource name, and whether the cluster's own could be listed. Returns the definitions they changed for. */
  noteMigrations(byResource: ReadonlyMap<string, Migration[]>, isTold: boolean): Crd[];
  /** Drops what the process remembers about these definitions elsewhere. */
  forget(): void;
}

export function knownCrds(): KnownCrds {
  const seen = new Map<string, Crd>();
  const runs = new Map<string, Run>();
  let migrations: ReadonlyMap<string, Migration[]> = new Map();
  let migrationsTold = false;
  // By uid, and kept after viewing ends: a version removed without proof stays unproven.
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
      // The watch may deliver an older state after this process noted its own write.
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
      // A condition is trusted only if the migration that it names could be looked up.
      return [...seen.values()].filter((crd) => changed(crd) || (wasTold !== isTold && hasCondition(crd, "StorageMigrating")));
    },
    forget() {
      for (const { uid } of seen.values()) forgetUid(uid);
    },
  };
}
