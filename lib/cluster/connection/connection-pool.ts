/** More than this are kept only while they are in use. */
const MAX_KEPT = 64;
/** A watch begins anew, and a run renews, well within this time; what asked for nothing for so long serves nobody. */
const UNUSED_AFTER_MS = 10 * 60_000;

/** The connections that this process has made, by what they sign in with. Beyond 64, the longest unused are closed. */
export interface ConnectionPool<Connection> {
  get(key: string): Promise<Connection> | null;
  /** Forgets one, and leaves it open for whoever has it; its idle sockets close by themselves. */
  remove(key: string): void;
  /** How many are kept, in use or not. */
  size(): number;
  /** Opens one, which tells of each use of it. One that can't be opened is not kept. */
  add(key: string, open: (onUse: () => void) => Promise<Connection>): Promise<Connection>;
}

export function connectionPool<Connection extends { close(): Promise<void> }>(): ConnectionPool<Connection> {
  const kept = new Map<string, Promise<Connection>>();
  const usedAt = new Map<string, number>();
  const forget = (key: string) => {
    kept.delete(key);
    usedAt.delete(key);
  };
  const closeUnused = () => {
    if (kept.size < MAX_KEPT) return;
    const unused = [...usedAt].filter(([, at]) => Date.now() - at > UNUSED_AFTER_MS).sort(([, a], [, b]) => a - b);
    for (const [key] of unused.slice(0, Math.max(0, kept.size + 1 - MAX_KEPT))) {
      // Nobody waits for it, and one that never opened has nothing to close.
      kept
        .get(key)
        ?.then((connection) => connection.close())
        .catch(() => {});
      forget(key);
    }
  };
  return {
    get(key) {
      const known = kept.get(key) ?? null;
      if (known) usedAt.set(key, Date.now());
      return known;
    },
    remove: forget,
    size: () => kept.size,
    add(key, open) {
      closeUnused();
      const onUse = () => {
        if (kept.has(key)) usedAt.set(key, Date.now());
      };
      const opening = open(onUse);
      kept.set(key, opening);
      onUse();
      opening.catch(() => forget(key));
      return opening;
    },
  };
}
