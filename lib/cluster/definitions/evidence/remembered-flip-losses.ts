import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { perDefinition } from "./per-definition.ts";

type Definition = Pick<Crd, "uid" | "generation">;

interface Known {
  generation: number;
  /** By the storage version that the check was for. */
  losses: Map<string, Loss[]>;
}

const known = perDefinition<Known>("remembered-flip-losses");

/** What earlier checks found that objects of this spec would lose with `to` as the storage version; a sample may miss it. */
export function rememberedFlipLosses(cluster: ClusterAddress, { uid, generation }: Definition, to: string): Loss[] {
  const remembered = known.get(cluster, uid);
  return remembered?.generation === generation ? (remembered.losses.get(to) ?? []) : [];
}

/** Remembers what is to hold that change of this spec back, in place of what was remembered. */
export function rememberFlipLosses(cluster: ClusterAddress, { uid, generation }: Definition, to: string, losses: readonly Loss[]): void {
  const before = known.get(cluster, uid);
  if (losses.length === 0 && before === undefined) return;
  const kept = before?.generation === generation ? before.losses : new Map<string, Loss[]>();
  known.set(cluster, uid, { generation, losses: kept.set(to, losses.map(withoutExamples)) });
}

/** Forgets those of a definition that was restored. */
export function forgetFlipLosses(cluster: ClusterAddress, uid: string): void {
  known.forget(cluster, uid);
}

// Another person may ask next, who may not be allowed to read the objects.
function withoutExamples(loss: Loss): Loss {
  return { ...loss, examples: [] };
}
