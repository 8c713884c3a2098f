import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { processWide } from "#lib/process-wide/process-wide.ts";

/** The newest whole count of each definition in etcd that this process has made, by uid. */
export function rememberedCounts(): Map<string, EtcdCount> {
  return processWide("etcd-counts", () => new Map<string, EtcdCount>());
}
