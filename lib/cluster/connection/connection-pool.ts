/** The pool keeps more than this only while they are in use. */
const MAX_KEPT = 64;
/** Watches restart and runs renew well within this time, so a connection unused for so long is no longer needed. */
const UNUSED_AFTER_MS = 10 * 60_000;

/** This process's connections, by their credentials. Beyond 64, it closes the ones unused for longest. */
export interface ConnectionPool<Connection> {
  get(key: string): Promise<Connection> | null;
  /** Removes a connection but leaves it open for those who hold it; its idle sockets close on their own. */
  remove(key: string): void;
  /** How many connections the pool keeps, in use or not. */
  size(): number;
  /** Opens a connection, which reports each use through `onUse`. One that fails to open isn't kept. */
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
      // Nothing waits for it, and one that never opened has nothing to close.
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
