import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { perDefinition } from "./per-definition.ts";

/** When this process first saw a generation of a definition. */
export interface FirstSeen {
  generation: number;
  /** By performance.now(), which no clock setting moves. */
  at: number;
  /** This process had seen an earlier generation, so the spec changed at about that time. */
  sawChange: boolean;
  /** The earliest Crd.specChangedAt seen: a manager that owns part of the spec moves that time with each of its writes. */
  specChangedAt: string | null;
}

const seen = perDefinition<FirstSeen>("first-seen");

type Seen = Pick<Crd, "uid" | "generation" | "specChangedAt">;

/**
 * Notes that this process has seen the definition as it is, and returns what it first saw of this generation. After a restore of etcd, a
 * generation may begin again with another spec: noteRestore forgets the first one.
 */
export function noteSeen(cluster: Pick<Connection, "server">, crd: Seen): FirstSeen {
  const { uid, generation, specChangedAt } = crd;
  const known = seen.get(cluster, uid);
  // A late answer.
  if (known && known.generation > generation) return known;
  const now =
    known?.generation === generation
      ? { ...known, specChangedAt: earlier(known.specChangedAt, specChangedAt) }
      : { generation, at: performance.now(), sawChange: known !== undefined, specChangedAt };
  seen.set(cluster, uid, now);
  return now;
}

/** Forgets a definition that was restored. */
export function forgetSeen(cluster: Pick<Connection, "server">, uid: string): void {
  seen.forget(cluster, uid);
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(b) < Date.parse(a) ? b : a;
}
