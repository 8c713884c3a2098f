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
  beginList(): (list: readonly Crd[], resourceVersion: string) => Noticed | null;
  /** Forgets, for this list, what no longer holds. */
  take(noticed: Noticed, list: readonly Crd[]): void;
  /** Call it once a list is taken. */
  taken(): void;
  /** Leaves what is known for the next fleet of this cluster. */
  end(): void;
}

/** A restore that is news, or one that another fleet has noticed, which needs no more than to begin again. */
type Noticed = Elsewhere | "already-noticed";

/** `heard` gives the resourceVersion that the fleet heard last; empty when none was. */
export function noticeRestores(connection: Connection, known: KnownCrds, heard: () => string): RestoreNotice {
  /** What is known is from after this one. */
  let lastRestore = noticedRestore(connection);
  // By another fleet, and what was proven since holds.
  const isAlreadyNoticed = (elsewhere: Elsewhere) => {
    const noticed = restoredSince(connection, lastRestore) ? noticedRestore(connection) : null;
    return elsewhere !== "another-cluster" && noticed !== null && compareResourceVersions(elsewhere.from, noticed.from) <= 0;
  };
  const now = (): Known => ({ heard: heard(), seen: known.newest() });
  return {
    beginList() {
      const [own, left] = [now(), leftKnown(connection)];
      return (list, resourceVersion) => {
        const listed = new Map(list.map((crd) => [crd.name, crd]));
        const elsewhere = detectEtcdRestore(resourceVersion, listed, own);
        // Left since the last restore that was noticed: this is another one.
        const sinceLeft = left && detectEtcdRestore(resourceVersion, listed, left);
        if (sinceLeft) return sinceLeft;
        return elsewhere && isAlreadyNoticed(elsewhere) ? "already-noticed" : elsewhere;
      };
    },
    take(noticed, list) {
      if (noticed === "already-noticed") return known.startOver();
      forgetLeftKnown(connection);
      if (noticed === "another-cluster") return known.startOver();
      known.restored(noticed, list);
      tellRestore(connection, noticed);
    },
    taken() {
      lastRestore = noticedRestore(connection);
    },
    end() {
      if (!restoredSince(connection, lastRestore)) leaveKnown(connection, now());
    },
  };
}
