import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { perDefinition } from "./per-definition.ts";

/** This process's newest complete etcd count of each definition. */
export const rememberedCounts = perDefinition<EtcdCount>("etcd-counts");
