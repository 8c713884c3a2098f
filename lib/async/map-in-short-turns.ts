import { setImmediate } from "node:timers/promises";

const LONGEST_MS = 10;

/** Maps one item after the other, and lets everyone else have their turn whenever that has taken 10 ms. */
export async function mapInShortTurns<Item, Result>(items: Iterable<Item>, resultOf: (item: Item) => Result): Promise<Result[]> {
  const results: Result[] = [];
  let begun = performance.now();
  for (const item of items) {
    results.push(resultOf(item));
    if (performance.now() - begun < LONGEST_MS) continue;
    await setImmediate();
    begun = performance.now();
  }
  return results;
}
