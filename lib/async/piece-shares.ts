/** How much of the time for pieces of work one person has had. */
interface Share {
  /** Relative to the others' only. */
  usedMs: number;
  /** When their last piece ended, or their next one was asked for or began. */
  activeAt: number;
  /** Until then, somebody who has had less goes first, even if they ask only now. */
  yieldsUntil: number;
  /** What their pieces took since they last began to yield. */
  sinceYieldMs: number;
  /** How many of their pieces wait to begin. Meanwhile they aren't gone, however long that takes. */
  waiting: number;
}

/** By person, of everyone who has lately had work that is done in pieces. */
export type Shares = Map<string, Share>;

/** Whoever has had nothing to do for longer begins beside the one who has had least; once nobody has, all begin anew. */
const LATELY_MS = 1_000;
/** Whoever waits for an answer of an API server has their next piece to do within that. */
const SOON_MS = 20;
/** By then, it says nothing any more: nobody is owed more than the next. */
const FORGOTTEN_AFTER_MS = 60_000;
/** Nobody is owed more, or others would wait as long until that is made up for. */
const MOST_OWED_MS = 300;
/** Except who waits, perhaps for a place: work that takes longer would keep it from them with each of its turns. */
const MOST_OWED_WAITING_MS = 2_000;
/** Whoever is further ahead of anyone doesn't take the last place. With 0, one with almost no work could keep others from it. */
const MOST_AHEAD_MS = 100;
/** To yield takes a timer, which takes a millisecond and more: after each of many short pieces, that would be most of the time. */
const WORTH_YIELDING_MS = 2;

/** Notes that a piece of the person's waits to begin, until the returned function is called. */
export function noteWaiting(shares: Shares, person: string, now: number): (now: number) => void {
  const share = noteActive(shares, person, now);
  share.waiting += 1;
  return (endedAt) => {
    share.waiting -= 1;
    share.activeAt = endedAt;
  };
}

function noteActive(shares: Shares, person: string, now: number): Share {
  const known = shares.get(person);
  if (known && isLately(known, now)) {
    known.activeAt = now;
    return known;
  }
  const others = [...shares.values()].filter((share) => isLately(share, now));
  // What they had beside others who are gone is nothing that they owe anyone.
  if (others.length === 0) shares.clear();
  for (const [other, { activeAt, waiting }] of shares) if (waiting === 0 && now - activeAt > FORGOTTEN_AFTER_MS) shares.delete(other);
  const before = shares.get(person)?.usedMs ?? 0;
  const share = { usedMs: Math.max(newcomers(others), before), activeAt: now, yieldsUntil: 0, sinceYieldMs: 0, waiting: 0 };
  shares.set(person, share);
  return share;
}

/** Beside the one who has had least, but not before those who wait already: a chain of newcomers passes the least on from one to the next. */
function newcomers(others: readonly Share[]): number {
  if (others.length === 0) return 0;
  const least = Math.min(...others.map(({ usedMs }) => usedMs));
  const waiting = others.filter((other) => other.waiting > 0).map(({ usedMs }) => usedMs);
  return Math.min(least + MOST_AHEAD_MS, Math.max(least, ...waiting));
}

function isLately({ activeAt, waiting }: Share, now: number): boolean {
  return waiting > 0 || now - activeAt <= LATELY_MS;
}

/** Notes what a piece of the person's took. */
export function charge(shares: Shares, person: string, tookMs: number, now: number): void {
  const share = noteActive(shares, person, now);
  share.usedMs += tookMs;
  share.sinceYieldMs += tookMs;
  if (share.sinceYieldMs >= WORTH_YIELDING_MS) {
    // Others have half of the time as long as theirs is being made up for.
    share.yieldsUntil = now + 2 * Math.min(share.sinceYieldMs, MOST_OWED_MS);
    share.sinceYieldMs = 0;
  }
  for (const other of shares.values()) {
    const mostOwed = other.waiting > 0 ? MOST_OWED_WAITING_MS : MOST_OWED_MS;
    other.usedMs = Math.max(other.usedMs, share.usedMs - mostOwed);
  }
}

/** What the person has had; that of two who wait, who has had less goes first. */
export function usedBy(shares: Shares, person: string): number {
  return shares.get(person)?.usedMs ?? 0;
}

/** Whether the person has lately had hardly any: what others are owed while they wait isn't owed by them. */
export function hasHardlyAny(shares: Shares, person: string): boolean {
  const most = shares.values().reduce((known, { usedMs }) => Math.max(known, usedMs), 0);
  return usedBy(shares, person) <= most - MOST_OWED_MS + MOST_AHEAD_MS;
}

/**
 * Who may take the last place for work of one kind: a person of whom nobody who lately had work, and has had much less, may soon need it.
 */
export function mayTakeLast(shares: Shares, now: number): (person: string) => boolean {
  const lately = shares.values().filter((share) => isLately(share, now));
  const most = lately.reduce((least, { usedMs }) => Math.min(least, usedMs), Number.POSITIVE_INFINITY) + MOST_AHEAD_MS;
  return (person) => usedBy(shares, person) <= most;
}

/**
 * How long (ms) the person's next piece is to wait for somebody who has had less and will soon ask for a piece; 0 if it needn't. Otherwise,
 * whoever has small steps between their pieces would wait for a long piece of somebody else's after each of their own.
 */
export function yieldsFor(shares: Shares, person: string, now: number): number {
  const own = shares.get(person);
  if (!own || own.yieldsUntil <= now) return 0;
  const others = shares.values().filter((other) => other !== own && other.usedMs < own.usedMs);
  const until = Math.max(0, ...others.map(({ activeAt }) => activeAt + SOON_MS));
  return Math.max(0, Math.min(until, own.yieldsUntil) - now);
}
