import type { ClusterAddress } from "#lib/cluster/connection/cluster-key.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { perDefinition } from "./per-definition.ts";

type Definition = Pick<Crd, "uid" | "generation">;

export interface RememberedLosses {
  losses: readonly Loss[];
  /** How many others there were. One that comes and goes may count again. */
  more: number;
}

interface Known {
  generation: number;
  /** By the storage version that the check was for, the latest check last. */
  losses: Map<string, RememberedLosses>;
}

/** A definition may have thousands of versions, each with hundreds of losses. */
const MOST_LISTED = 10;
const NOTHING: RememberedLosses = { losses: [], more: 0 };

const known = perDefinition<Known>("remembered-flip-losses");

/** What earlier checks found that objects of this spec would lose with `to` as the storage version; a sample may miss it. */
export function rememberedFlipLosses(cluster: ClusterAddress, { uid, generation }: Definition, to: string): RememberedLosses {
  const remembered = known.get(cluster, uid);
  return remembered?.generation === generation ? (remembered.losses.get(to) ?? NOTHING) : NOTHING;
}

/**
 * Remembers what is to hold that change of this spec back, in place of what was remembered. Of other storage versions, it forgets all but
 * one loss and the number of the others once ten were checked later: that still holds the change back.
 */
export function rememberFlipLosses(
  cluster: ClusterAddress,
  { uid, generation }: Definition,
  to: string,
  { losses, more }: RememberedLosses,
): void {
  const before = known.get(cluster, uid);
  if (losses.length === 0 && before === undefined) return;
  const kept = before?.generation === generation ? before.losses : new Map<string, RememberedLosses>();
  kept.delete(to);
  if (losses.length > 0) kept.set(to, { losses: losses.map(withoutExamples), more });
  const [older, whole] = [...kept].at(-1 - MOST_LISTED) ?? [];
  if (older !== undefined && whole) kept.set(older, shortened(whole));
  known.set(cluster, uid, { generation, losses: kept });
}

/** Forgets those of a definition that was restored. */
export function forgetFlipLosses(cluster: ClusterAddress, uid: string): void {
  known.forget(cluster, uid);
}

// Another person may ask next, who may not be allowed to read the objects.
function withoutExamples(loss: Loss): Loss {
  return { ...loss, examples: [] };
}

function shortened({ losses, more }: RememberedLosses): RememberedLosses {
  return { losses: losses.slice(0, 1), more: more + Math.max(0, losses.length - 1) };
}
