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
  take(noticed: Exclude<Noticed, "too-late">, list: readonly Crd[]): void;
}

/**
 * What is news; what another fleet had noticed before the list, and what was proven since holds; or that another fleet has noticed something
 * during the list, which may be older than that.
 */
type Noticed = Elsewhere | "already-noticed" | "too-late";

/** For the fleet that has `known`. */
export function noticeRestores(connection: Connection, known: KnownCrds): RestoreNotice {
  return {
    beginList() {
      const [before, isCurrent] = [knownStates(connection), known.isCurrent()];
      return (list, resourceVersion) => {
        if (!before.isCurrent()) return "too-late";
        const elsewhere = detectEtcdRestore(resourceVersion, new Map(list.map((crd) => [crd.name, crd])), before);
        return elsewhere ?? (isCurrent ? null : "already-noticed");
      };
    },
    take(noticed, list) {
      if (noticed === "already-noticed") return known.adopt();
      if (noticed === "another-cluster") return known.startOver();
      known.restored(noticed, list);
      tellRestore(connection, noticed);
    },
  };
}
