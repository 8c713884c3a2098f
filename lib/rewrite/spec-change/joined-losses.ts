import { type Loss, lossKinds } from "#lib/domain/losses/losses.ts";
import { MAX_PATHS_A_KIND } from "#lib/rewrite/dry-run/loss-tally.ts";

/** Each kind and path once, as in the first list that has it, worst kinds first. `leftOut` are those beyond what a tally lists of a kind. */
export function joinedLosses(...lists: readonly (readonly Loss[])[]): { losses: Loss[]; leftOut: Loss[] } {
  const all = lists.flat();
  const kinds = lossKinds.map((kind) => {
    const byPath = new Map<string, Loss>();
    for (const loss of all) if (loss.kind === kind && !byPath.has(loss.path)) byPath.set(loss.path, loss);
    return [...byPath.values()];
  });
  return {
    losses: kinds.flatMap((losses) => losses.slice(0, MAX_PATHS_A_KIND)),
    leftOut: kinds.flatMap((losses) => losses.slice(MAX_PATHS_A_KIND)),
  };
}
