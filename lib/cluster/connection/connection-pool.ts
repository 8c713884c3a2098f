import { AppError } from "#lib/contract/app-error.ts";
import { requireUnused, whoMakesRoom } from "./make-room.ts";

/** The pool keeps more than this only while they are in use. */
const MAX_KEPT = 64;
/** Watches restart and runs renew well within this time, so a connection unused for so long is no longer needed. */
const UNUSED_AFTER_MS = 10 * 60_000;
/** As many as crdshift asks clusters about at once; made-up tokens push out one another, and no person. */
const MOST_UNCONFIRMED = 32;
/** They have no person's place, since one person may have all of them. */
const MOST_UNNAMED = 100;
/** A proxy may send a new token for the same person every few minutes. */
const MOST_OF_ONE = 8;
/** With each token, all definitions are listed again: whoever uses nine in turn would have that done all the time. */
const STAYS_FOR_MS = 30_000;

/**
 * Whose credentials a connection has: the process's own, a person's by their name in the cluster, those of somebody whom the cluster has
 * accepted without a name, or those of nobody that is known yet.
 */
type Holder = { kind: "process" } | { kind: "unconfirmed" } | { kind: "unnamed" } | { kind: "person"; name: string };

interface Kept<Connection> {
  connection: Promise<Connection>;
  holder: Holder;
  addedAt: number;
  usedAt: number;
}

/**
 * This process's connections, by their credentials. Beyond 64, it closes the ones unused for ten minutes. A token's connection stays only
 * once the cluster has said whose it is.
 */
export interface ConnectionPool<Connection> {
  get(key: string): Promise<Connection> | null;
  has(key: string): boolean;
  /** Removes a connection but leaves it open for those who hold it; its idle sockets close on their own. */
  remove(key: string): void;
  /** Opens a connection, which reports each use through `onUse`. One that fails to open isn't kept. */
  add(key: string, whose: "process" | "unconfirmed", open: (onUse: () => void) => Promise<Connection>): Promise<Connection>;
  /**
   * Keeps a connection as this person's, and lets it back in if made-up tokens pushed it out before. Beyond eight of one person, the longest
   * unused is told that it is pushed out, of those that have been kept for 30 seconds. So are those of whoever has to make room for a new
   * person: make-room.ts. Without a name (null), it has one of 100 places beside those of people, until the name is known.
   * @throws AppError too_many_requests if none of them has to.
   */
  keep(key: string, person: string | null, connection: Connection): void;
}

interface Pooled {
  close(): Promise<void>;
  pushOut(): void;
  letBackIn(): void;
  isPushedOut(): boolean;
}

export function connectionPool<Connection extends Pooled>(): ConnectionPool<Connection> {
  const pool = new Map<string, Kept<Connection>>();
  const longestUnused = (of: (holder: Holder) => boolean) =>
    [...pool].filter(([, { holder }]) => of(holder)).sort(([, one], [, other]) => one.usedAt - other.usedAt);
  const closeUnused = () => {
    const unused = longestUnused(() => true).filter(([, { usedAt }]) => Date.now() - usedAt > UNUSED_AFTER_MS);
    for (const [key, { connection }] of unused.slice(0, Math.max(0, pool.size + 1 - MAX_KEPT))) {
      // Nothing waits for it, and one that never opened has nothing to close.
      connection.then((opened) => opened.close()).catch(() => {});
      pool.delete(key);
    }
  };
  /** Makes room for one more of these, so that at most so many are kept. */
  const removeBeyond = (of: (holder: Holder) => boolean, most: number) => {
    const all = longestUnused(of);
    const surplus = all.slice(0, Math.max(0, all.length + 1 - most));
    for (const [key] of surplus) pool.delete(key);
    return surplus.map(([, { connection }]) => connection);
  };
  /** Those that have had a person's place, and don't get it back once they have lost it. */
  const ofPeople = new WeakSet<Connection>();
  const pushOutStranger = (stranger: Promise<Connection>) => {
    stranger.then((opened) => ofPeople.has(opened) || opened.pushOut()).catch(() => {});
  };
  /** When each person last used any of theirs. */
  const lastUses = () => {
    const people = new Map<string, number>();
    for (const { holder, usedAt } of pool.values())
      if (holder.kind === "person") people.set(holder.name, Math.max(people.get(holder.name) ?? 0, usedAt));
    return people;
  };
  const unnamedToLeave = () => {
    const unnamed = longestUnused(({ kind }) => kind === "unnamed").map(([, { usedAt }]) => usedAt);
    if (unnamed.length >= MOST_UNNAMED) requireUnused(unnamed[0], `${MOST_UNNAMED} tokens whose owner the cluster doesn't name`);
    return removeBeyond(({ kind }) => kind === "unnamed", MOST_UNNAMED);
  };
  const ownToLeave = (isOwn: (holder: Holder) => boolean) => {
    const own = longestUnused(isOwn);
    if (own.length < MOST_OF_ONE) return [];
    const [key, kept] = own.find(([, { addedAt }]) => Date.now() - addedAt > STAYS_FOR_MS) ?? refuseNinth();
    pool.delete(key);
    return [kept.connection];
  };
  const toLeaveFor = (name: string) => {
    const isOf = (person: string) => (holder: Holder) => holder.kind === "person" && holder.name === person;
    const leaving = whoMakesRoom(name, lastUses());
    return [...(leaving === null ? [] : removeBeyond(isOf(leaving), 1)), ...ownToLeave(isOf(name))];
  };
  return {
    get(key) {
      const known = pool.get(key);
      if (!known) return null;
      known.usedAt = Date.now();
      return known.connection;
    },
    has: (key) => pool.has(key),
    remove: (key) => void pool.delete(key),
    add(key, whose, open) {
      closeUnused();
      if (whose === "unconfirmed") removeBeyond(({ kind }) => kind === "unconfirmed", MOST_UNCONFIRMED).forEach(pushOutStranger);
      const connection = open(() => {
        const known = pool.get(key);
        if (known) known.usedAt = Date.now();
      });
      pool.set(key, { connection, holder: { kind: whose }, addedAt: Date.now(), usedAt: Date.now() });
      connection.catch(() => {
        if (pool.get(key)?.connection === connection) pool.delete(key);
      });
      return connection;
    },
    keep(key, name, connection) {
      const known = pool.get(key);
      if (isHeldBy(known?.holder, name) || (connection.isPushedOut() && ofPeople.has(connection))) return;
      closeUnused();
      for (const surplus of name === null ? unnamedToLeave() : toLeaveFor(name)) surplus.then((opened) => opened.pushOut()).catch(() => {});
      const holder: Holder = name === null ? { kind: "unnamed" } : { kind: "person", name };
      // It has a place already, and gets another one.
      if (known && isKept(known.holder)) return void Object.assign(known, { holder });
      ofPeople.add(connection);
      connection.letBackIn();
      // While it was out, another one may have been opened with the same token.
      if (known) pushOutStranger(known.connection);
      pool.set(key, { connection: Promise.resolve(connection), holder, addedAt: Date.now(), usedAt: Date.now() });
    },
  };
}

function refuseNinth(): never {
  throw new AppError(
    "too_many_requests",
    `You have begun to use ${MOST_OF_ONE} tokens within ${STAYS_FOR_MS / 1_000} s, which is the limit.`,
    {
      nextStep: `Use one of them, or wait ${STAYS_FOR_MS / 1_000} s.`,
    },
  );
}

function isKept({ kind }: Holder): boolean {
  return kind === "unnamed" || kind === "person";
}

/** Whether it stays as it is: a name that is known stays while the cluster doesn't say. */
function isHeldBy(holder: Holder | undefined, name: string | null): boolean {
  if (!holder || !isKept(holder)) return false;
  return name === null || (holder.kind === "person" && holder.name === name);
}
