import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { perDefinition } from "./per-definition.ts";

/** When this process first saw a generation of a definition. */
export interface FirstSeen {
  generation: number;
  /** By performance.now(), which no clock setting moves. */
  at: number;
  /** This process had seen another generation, so the spec changed at about that time. */
  sawChange: boolean;
  /** The earliest Crd.specChangedAt seen: a manager that owns part of the spec moves that time with each of its writes. */
  specChangedAt: string | null;
}

const seen = perDefinition<FirstSeen>("first-seen");

type Seen = Pick<Crd, "uid" | "generation" | "specChangedAt">;

/**
 * Notes that this process was told of the definition in this state, perhaps late: then a later generation is known, and stays. After a
 * restore of etcd, a generation may begin again with another spec: noteRestore forgets the first one.
 */
export function noteSeen(cluster: ClusterAddress, crd: Seen): void {
  const known = seen.get(cluster, crd.uid);
  if (!known || known.generation <= crd.generation) noteRead(cluster, crd);
}

/**
 * Notes that this is the definition right now, and returns what this process first saw of its generation. A later generation that is known
 * is from before a restore of etcd that nobody noticed, so this one begins now.
 */
export function noteRead(cluster: ClusterAddress, { uid, generation, specChangedAt }: Seen): FirstSeen {
  const known = seen.get(cluster, uid);
  const now =
    known?.generation === generation
      ? { ...known, specChangedAt: earlier(known.specChangedAt, specChangedAt) }
      : { generation, at: performance.now(), sawChange: known !== undefined, specChangedAt };
  seen.set(cluster, uid, now);
  return now;
}

/** Forgets a definition that was restored. */
export function forgetSeen(cluster: ClusterAddress, uid: string): void {
  seen.forget(cluster, uid);
}

function earlier(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return Date.parse(b) < Date.parse(a) ? b : a;
}
