import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { detectEtcdRestore, type Elsewhere, tellRestore } from "./detect-etcd-restore.ts";
import type { KnownCrds } from "./known-crds.ts";
import { knownStates } from "./known-states.ts";

/** Notices in a fleet's lists that etcd was restored, or that its address leads to another cluster now. */
export interface RestoreNotice {
  /** Call it before a list is asked for. The function that it returns tells whether that list is of such an etcd. */
  beginList(): (list: readonly Crd[], resourceVersion: string) => Noticed | null;
  /** Forgets, for this list, what no longer holds. */
  take(noticed: Noticed, list: readonly Crd[]): void;
}

/** What is news, or what another fleet has noticed, and what was proven since holds. */
type Noticed = Elsewhere | "already-noticed";

/** For the fleet that has `known`. */
export function noticeRestores(connection: Connection, known: KnownCrds): RestoreNotice {
  return {
    beginList() {
      const before = knownStates(connection);
      return (list, resourceVersion) => {
        if (!known.isCurrent()) return "already-noticed";
        return detectEtcdRestore(resourceVersion, new Map(list.map((crd) => [crd.name, crd])), before);
      };
    },
    take(noticed, list) {
      if (noticed === "another-cluster" || noticed === "already-noticed") return known.startOver();
      known.restored(noticed, list);
      tellRestore(connection, noticed);
    },
  };
}
