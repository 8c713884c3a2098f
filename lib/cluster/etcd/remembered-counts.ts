import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** This process's newest complete etcd count of each definition, by uid. */
export function rememberedCounts(): Map<string, EtcdCount> {
  return processWide("etcd-counts", () => new Map<string, EtcdCount>());
}
