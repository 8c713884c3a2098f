/** The first keys of a Map or Set, oldest first, that are more than `most`: for what a process remembers a bounded number of. */
export function oldestBeyond<Key>(kept: { readonly size: number; keys(): Iterable<Key> }, most: number): Key[] {
  return [...kept.keys()].slice(0, Math.max(0, kept.size - most));
}
