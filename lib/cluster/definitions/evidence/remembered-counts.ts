import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { perDefinition } from "./per-definition.ts";

/** This process's newest complete etcd count of each definition. */
export const rememberedCounts = perDefinition<EtcdCount>("etcd-counts");

/** A definition that was read anew, with that count. */
export function withRememberedCount(cluster: ClusterAddress, crd: Crd): Crd {
  return { ...crd, etcdCount: rememberedCounts.get(cluster, crd.uid) ?? null };
}
