import type { AdaptiveLimit } from "#lib/rewrite/pacing/adaptive-limit.ts";

export interface QueueingServer {
  /** How many requests it works on at once; all others queue. */
  servers: number;
  /** How long it works on one, on average, with the spread of an exponential distribution. */
  serviceMs: number;
  /** How long one is on its way, which keeps nobody waiting. */
  delayMs: number;
}

/** How fast a limit sends this many requests through such a server, by a clock of its own, and how long one took on average. */
export function sendThrough(limit: AdaptiveLimit, server: QueueingServer, requests: number): { perSecond: number; meanMs: number } {
  const { servers, serviceMs, delayMs } = server;
  const random = seeded(1);
  const due: { at: number; act: () => void }[] = [];
  const queue: (() => void)[] = [];
  let [now, busy, underWay, started, totalMs] = [0, 0, 0, 0, 0];

  const after = (ms: number, act: () => void) => {
    const at = now + ms;
    let place = due.length;
    while (place > 0 && (due[place - 1]?.at ?? 0) < at) place -= 1;
    due.splice(place, 0, { at, act });
  };
  const work = (end: () => void) => {
    busy += 1;
    after(-Math.log(1 - random()) * serviceMs, () => {
      busy -= 1;
      queue.shift()?.();
      end();
    });
  };
  const send = () => {
    for (; underWay < limit.current() && started < requests; started += 1) {
      underWay += 1;
      const [sentAt, alongside] = [now, underWay];
      const end = () => {
        underWay -= 1;
        totalMs += now - sentAt;
        limit.answered(now - sentAt, alongside);
        send();
      };
      const arrive = () => work(() => after(delayMs / 2, end));
      after(delayMs / 2, () => (busy < servers ? arrive() : queue.push(arrive)));
    }
  };
  send();
  for (let next = due.pop(); next; next = due.pop()) {
    now = next.at;
    next.act();
  }
  return { perSecond: (requests / now) * 1_000, meanMs: totalMs / requests };
}

/** Numbers from 0 to 1, the same in each test: a linear congruential generator (Numerical Recipes). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
