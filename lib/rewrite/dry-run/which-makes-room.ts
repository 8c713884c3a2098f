/** What decides whether a dry run that is running has to end for another person's. */
interface Running {
  readonly person: string | null;
  /** Why it sends nothing at the moment; null while it works. */
  readonly waitsFor: () => string | null;
}

/**
 * Which dry run has to end so that this person can begin one; null if none may. It is one of a person who still has as many as this one
 * then, preferably one that waits. If there is none, it is one that waits, of a person who has more than this one. It is always of whoever
 * has the most of these: the oldest that waits, or else the newest. `running` is in the order in which they began.
 */
export function whichMakesRoom<One extends Running>(person: string, running: readonly One[]): One | null {
  const counts = new Map<string | null, number>();
  for (const one of running) counts.set(one.person, (counts.get(one.person) ?? 0) + 1);
  const countOf = (one: Running) => counts.get(one.person) ?? 0;
  const own = counts.get(person) ?? 0;
  const ofWhoeverHasMost = (among: readonly One[]) => {
    const most = Math.max(...among.map(countOf));
    return among.filter((one) => countOf(one) === most);
  };
  const surplus = running.filter((one) => countOf(one) > own + 1);
  const waiting = running.filter((one) => countOf(one) > own && one.waitsFor() !== null);
  const both = surplus.filter((one) => waiting.includes(one));
  return ofWhoeverHasMost(both)[0] ?? ofWhoeverHasMost(surplus).at(-1) ?? ofWhoeverHasMost(waiting)[0] ?? null;
}
