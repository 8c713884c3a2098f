import { holdsBack, type Loss, lossKinds, MOST_COUNTED, type ObjectLoss } from "#lib/domain/losses/losses.ts";
import { shownPath } from "#lib/domain/objects/field-path.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";

/** A loss of one object, and the version at which it was seen. */
export interface SeenLoss extends ObjectLoss {
  version: string;
}

/** Losses by path over all objects, bounded for any number of keys. */
export interface LossTally {
  /** Counts the losses of one object, each path at most once per kind. */
  count(object: ObjectName, losses: readonly SeenLoss[]): void;
  /** Sorted by kind, worst first, then by number of objects. */
  list(): Loss[];
  /** Paths beyond those listed; MOST_COUNTED if there are that many or more. */
  more(): number;
  /** How many of those may be of kinds that hold a rewrite back. */
  moreHolding(): number;
}

export const MAX_PATHS_A_KIND = 100;
const MAX_EXAMPLES = 5;
/** Of all paths together, besides the first of each. */
const MAX_MORE_EXAMPLES = 400;

export function createLossTally(): LossTally {
  const byKind = new Map(lossKinds.map((kind) => [kind, new Map<string, Loss>()]));
  const beyond = new Set<string>();
  let holding = 0;
  let moreExamples = 0;
  return {
    count(object, losses) {
      const counted = new Map(lossKinds.map((kind) => [kind, new Set<string>()]));
      for (const { kind, path: whole, version, before, after } of losses) {
        const path = shownPath(whole);
        if (counted.get(kind)?.has(path)) continue;
        counted.get(kind)?.add(path);
        const example = { namespace: object.namespace, name: object.name, version, before, after };
        const paths = byKind.get(kind);
        const known = paths?.get(path);
        if (known) {
          known.objects += 1;
          if (known.examples.length >= MAX_EXAMPLES || moreExamples >= MAX_MORE_EXAMPLES) continue;
          moreExamples += 1;
          known.examples.push(example);
        } else if (paths && paths.size < MAX_PATHS_A_KIND) {
          paths.set(path, { kind, path, objects: 1, examples: [example] });
        } else if (beyond.size < MOST_COUNTED && !beyond.has(`${kind} ${path}`)) {
          beyond.add(`${kind} ${path}`);
          if (holdsBack(kind)) holding += 1;
        }
      }
    },
    list: () => [...byKind.values()].flatMap((paths) => [...paths.values()].sort((one, other) => other.objects - one.objects)),
    more: () => beyond.size,
    // What isn't counted any more may be of any kind.
    moreHolding: () => (beyond.size < MOST_COUNTED ? holding : MOST_COUNTED),
  };
}
