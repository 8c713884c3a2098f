/** What the prune button says: the verb with what it takes away. */
export function pruneLabel(leftovers: readonly string[]): string {
  return leftovers.length === 1 ? `Prune ${leftovers[0]}` : `Prune ${leftovers.length} versions`;
}
