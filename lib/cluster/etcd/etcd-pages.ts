import { AppError } from "#lib/contract/app-error.ts";
import type { EtcdClient, EtcdEntry } from "./etcd-client.ts";

export interface EtcdPage {
  entries: EtcdEntry[];
  /** The same on every page, unless it had to begin again. */
  revision: string;
  /** All keys of the range at that revision. */
  total: number;
  /** Its revision was compacted meanwhile: what earlier pages said is void. */
  restarted: boolean;
}

/** A longer response is given up and asked for in smaller parts; a single value is as large as etcd lets it be. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_RESTARTS = 3;

/**
 * Every entry below a prefix, page by page and all of one revision; pages are as large as the values let them. Where that revision is
 * compacted meanwhile it begins again, at most three times.
 */
export async function* etcdPages(client: EtcdClient, prefix: string, signal: AbortSignal): AsyncGenerator<EtcdPage> {
  const start = { key: Buffer.from(prefix), revision: null as string | null, total: 0 };
  let cursor = { ...start };
  let [limit, restarts, restarted] = [FIRST_LIMIT, 0, false];
  for (;;) {
    const { key, revision } = cursor;
    const maxBytes = limit === 1 ? Number.POSITIVE_INFINITY : MAX_BYTES;
    const answer = await client.range({ key, end: rangeEnd(prefix), limit, revision, maxBytes }, signal);
    switch (answer.kind) {
      case "too-large":
        limit = smallerLimit(limit);
        break;
      case "compacted":
        restarts += 1;
        if (restarts > MAX_RESTARTS)
          throw new AppError("cluster_unreachable", "etcd forgets revisions faster than they can be read.", { nextStep: "Count again." });
        cursor = { ...start };
        restarted = true;
        break;
      case "entries": {
        const { entries, more, bytes } = answer;
        // The header names the newest revision, which is the one that was read only where none was asked for.
        const read = { revision: revision ?? answer.revision, total: revision ? cursor.total : answer.total };
        yield { entries, ...read, restarted };
        restarted = false;
        const last = entries.at(-1);
        if (!more || !last) return;
        // The smallest key after the last one is that key with a zero byte.
        cursor = { ...read, key: Buffer.concat([last.key, Buffer.from([0])]) };
        limit = nextLimit(limit, { keys: entries.length, bytes });
        break;
      }
      default:
        answer satisfies never;
    }
  }
}

/** The first key that doesn't start with the prefix: its last byte plus one. */
function rangeEnd(prefix: string): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** A response of about this size; base64 makes it a third larger than the values in it. */
const TARGET_BYTES = 4 * 1024 * 1024;
const MOST_KEYS = 500;
/** The values on the first page may be the largest that there are. */
export const FIRST_LIMIT = 4;
const MOST_GROWTH = 4;
const SHRINK = 8;

/** How many keys the next response may have, after one of so many keys and bytes: from 1 to 500. It grows no faster than fourfold. */
export function nextLimit(limit: number, { keys, bytes }: { keys: number; bytes: number }): number {
  if (keys === 0) return limit;
  const fitting = Math.floor((TARGET_BYTES * keys) / bytes);
  return Math.max(1, Math.min(fitting, limit * MOST_GROWTH, MOST_KEYS));
}

/** How many keys to ask for instead, when a response was given up as too large. */
export function smallerLimit(limit: number): number {
  return Math.max(1, Math.floor(limit / SHRINK));
}
