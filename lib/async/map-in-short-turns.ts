import { inShortTurn } from "./short-turn.ts";

/**
 * Maps one item after the other, and lets everyone else have their turn whenever that and other such work have taken 10 ms together. `person`
 * is whose work it is. Throws the signal's reason before it goes on for somebody who has left.
 */
export async function mapInShortTurns<Item, Result>(
  items: Iterable<Item>,
  resultOf: (item: Item) => Result,
  { person, signal }: { person: string; signal?: AbortSignal },
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items[Symbol.iterator]();
  const mapSome = (hasTime: () => boolean) => {
    signal?.throwIfAborted();
    do {
      const next = rest.next();
      if (next.done) return true;
      results.push(resultOf(next.value));
    } while (hasTime());
    return false;
  };
  let isWhole = false;
  while (!isWhole) isWhole = await inShortTurn({ kind: "lists", person }, mapSome);
  return results;
}
