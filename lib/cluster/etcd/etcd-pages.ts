import { nextLimit } from "#lib/cluster/transport/answer-size.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { EtcdClient, EtcdEntry } from "./etcd-client.ts";

export interface EtcdPage {
  entries: EtcdEntry[];
  /** The same on every page, unless reading restarted. */
  revision: string;
  /** All keys of the range at that revision. */
  total: number;
  /** The revision was compacted while reading: discard the earlier pages. */
  restarted: boolean;
}

/** Longer responses are abandoned and requested in smaller parts; a single value may be as large as etcd allows. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_RESTARTS = 3;

/**
 * Every entry below a prefix at one revision, page by page; the page size adapts to the values. If the revision is compacted while
 * reading, it restarts, at most three times.
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
          throw new AppError("cluster_unreachable", "etcd compacts revisions faster than crdshift can read them.", {
            nextStep: "Count again.",
          });
        cursor = { ...start };
        restarted = true;
        break;
      case "entries": {
        const { entries, more, bytes } = answer;
        // The header has the newest revision, which is the one read only if the request named none.
        const read = { revision: revision ?? answer.revision, total: revision ? cursor.total : answer.total };
        yield { entries, ...read, restarted };
        restarted = false;
        const last = entries.at(-1);
        if (!more || !last) return;
        // The smallest key after the last one is that key with a zero byte.
        cursor = { ...read, key: Buffer.concat([last.key, Buffer.from([0])]) };
        limit = nextLimit(limit, { items: entries.length, bytes });
        break;
      }
      default:
        answer satisfies never;
    }
  }
}

/** The first key after all keys with the prefix: its last byte plus one. */
function rangeEnd(prefix: string): Buffer {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end.writeUInt8(end.readUInt8(last) + 1, last);
  return end;
}

/** Small, because the first page may have the largest values, and base64 makes them a third larger. */
const FIRST_LIMIT = 4;
const SHRINK = 8;

/** The smaller limit to use after a response was too large. */
export function smallerLimit(limit: number): number {
  return Math.max(1, Math.floor(limit / SHRINK));
}
