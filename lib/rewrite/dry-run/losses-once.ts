import { type LossKind, lossKinds, MOST_COUNTED, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import type { SeenLoss } from "./loss-tally.ts";

/** What an object would lose, as several versions show it. */
export interface LossesOnce {
  add(version: string, losses: readonly ObjectLoss[]): void;
  /** By kind, worst first. */
  all(): SeenLoss[];
}

/** Beyond these, a tally counts no more. */
const MOST_OF_KIND = 2 * MOST_COUNTED;

/** Collects losses, each path once for each kind, with the values that the last version shows. Many versions may each show as many as an object has fields. */
export function lossesOnce(): LossesOnce {
  const byKind = new Map<LossKind, Map<string, SeenLoss>>(lossKinds.map((kind) => [kind, new Map()]));
  return {
    add(version, losses) {
      for (const loss of losses) {
        const ofKind = byKind.get(loss.kind);
        if (ofKind && (ofKind.size < MOST_OF_KIND || ofKind.has(loss.path))) ofKind.set(loss.path, { ...loss, version });
      }
    },
    all: () => [...byKind.values()].flatMap((ofKind) => [...ofKind.values()]),
  };
}
