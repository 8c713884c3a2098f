import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readIdentityLeases } from "#lib/cluster/transport/discovery.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";

/** The API servers' renewals of their identity Leases, while a rewrite settles. */
export interface Renewals {
  /**
   * Reads the identity Leases. Returns when an API server was last seen to have renewed its own late, by performance.now(); null if never.
   */
  look(): Promise<number | null>;
  /** The API servers that have not renewed theirs from the first look since `restart` to the last one; none where Leases can't be read. */
  silent(): string[];
  restart(): void;
}

/** A Lease as it was seen. Times in ms by performance.now(). */
interface Seen {
  /** By the API server's own clock. */
  renewedAt: string;
  /** From when to when it is known to have stayed like this. */
  since: number;
  until: number;
}

/** An API server renews its Lease every ten seconds. One that took longer hung, and so did the requests that it was working on. */
const LATE_RENEWAL_MS = 20_000;

/**
 * Compares renewals with earlier ones of the same Lease, since each API server has its own clock, and with this process's clock: that of a
 * machine that was suspended stood still. A Lease that appears may be that of one that hung for so long that the others had deleted it.
 */
export function watchRenewals({ connection, gate, signal }: { connection: Connection; gate: Gate; signal: AbortSignal }): Renewals {
  let first: ReadonlyMap<string, Seen> | null = null;
  let last: ReadonlyMap<string, Seen> | null = null;
  let lateAt: number | null = null;
  let isReadable = true;
  return {
    async look() {
      if (!isReadable) return lateAt;
      let askedAt = 0;
      const read = () => {
        // Of the attempt that is answered: an API server may have been suspended meanwhile.
        askedAt = performance.now();
        return readIdentityLeases(connection, signal);
      };
      const answer = await throughGate(gate, signal, read);
      const answeredAt = performance.now();
      isReadable = answer !== null;
      const leases = answer ?? new Map<string, string>();
      const before = last;
      const newestAt = newestOf(leases.values());
      const seen = new Map<string, Seen>();
      for (const [name, renewedAt] of leases) {
        const known = before?.get(name);
        if (before !== null && (!known || isLate(known, renewedAt, askedAt))) lateAt = answeredAt;
        const since = before === null ? answeredAt - behindMs(renewedAt, newestAt) : answeredAt;
        seen.set(name, known?.renewedAt === renewedAt ? { ...known, until: askedAt } : { renewedAt, since, until: answeredAt });
      }
      last = seen;
      first ??= seen;
      return lateAt;
    },
    silent() {
      // A single API server is the one that just answered.
      if (first === null || last === null || last.size < 2) return [];
      return [...first].filter(([name, { renewedAt }]) => last?.get(name)?.renewedAt === renewedAt).map(([name]) => name);
    },
    restart() {
      first = null;
    },
  };
}

/** Whether a Lease was renewed late: by its API server's clock, by how long it was seen unchanged, or by what its clock is behind this one. */
function isLate({ renewedAt: before, since, until }: Seen, renewedAt: string, askedAt: number): boolean {
  if (renewedAt === before) return false;
  const byItsClock = Date.parse(renewedAt) - Date.parse(before);
  return [byItsClock, until - since, askedAt - since - byItsClock].some((ms) => ms > LATE_RENEWAL_MS);
}

/** In ms since the epoch. Of Leases without a time there is no newest. */
function newestOf(times: Iterable<string>): number {
  return Math.max(...Array.from(times, (time) => Date.parse(time)).filter((time) => !Number.isNaN(time)));
}

/** How far a Lease is behind the one that was renewed last: so long has it been due, or its API server's clock is behind. */
function behindMs(renewedAt: string, newestAt: number): number {
  const behind = newestAt - Date.parse(renewedAt);
  return Number.isNaN(behind) ? 0 : behind;
}
