import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noticedRestore, restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { detectEtcdRestore, type Elsewhere, tellRestore } from "./detect-etcd-restore.ts";
import type { KnownCrds } from "./known-crds.ts";
import { forgetLeftKnown, type Known, leaveKnown, leftKnown } from "./left-known.ts";

/** Notices in a fleet's lists that etcd was restored, or that its address leads to another cluster now. */
export interface RestoreNotice {
  /** Call it before a list is asked for. The function that it returns tells whether that list is of such an etcd. */
  beginList(): (list: readonly Crd[], resourceVersion: string) => Elsewhere | null;
  /** Forgets, for this list, what no longer holds. */
  take(elsewhere: Elsewhere, list: readonly Crd[]): void;
  /** Call it once a list is taken. */
  taken(): void;
  /** Leaves what is known for the next fleet of this cluster. */
  end(): void;
}

/** `heard` gives the resourceVersion that the fleet heard last; empty when none was. */
export function noticeRestores(connection: Connection, known: KnownCrds, heard: () => string): RestoreNotice {
  /** What is known is from after this one. */
  let lastRestore = noticedRestore(connection);
  const now = (): Known => ({ heard: heard(), seen: known.newest() });
  return {
    beginList() {
      const before = (heard() === "" ? leftKnown(connection) : null) ?? now();
      return (list, resourceVersion) => detectEtcdRestore(resourceVersion, new Map(list.map((crd) => [crd.name, crd])), before);
    },
    take(elsewhere, list) {
      forgetLeftKnown(connection);
      // Another fleet has noticed it, and what was proven since holds.
      const noticed = restoredSince(connection, lastRestore) ? noticedRestore(connection) : null;
      const isNoticed = elsewhere !== "another-cluster" && noticed !== null && compareResourceVersions(elsewhere.from, noticed.from) <= 0;
      if (elsewhere === "another-cluster" || isNoticed) return known.startOver();
      known.restored(elsewhere, list);
      tellRestore(connection, elsewhere);
    },
    taken() {
      lastRestore = noticedRestore(connection);
    },
    end() {
      if (!restoredSince(connection, lastRestore)) leaveKnown(connection, now());
    },
  };
}
