import { nextLimit } from "#lib/cluster/transport/whole-answer.ts";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { type Env, readEnv } from "#lib/settings/env.ts";
import { type EtcdClient, type EtcdEntry, etcdClient } from "./etcd-client.ts";
import { readEtcdCredentials } from "./etcd-credentials.ts";

/** The progress of reading etcd; the count grows until it is complete. */
export type EtcdReading =
  | { kind: "growing" | "complete"; count: EtcdCount }
  | { kind: "failed"; because: string }
  /** It isn't the etcd behind this API server, or the prefix is wrong; `because` says why in words. */
  | { kind: "not-ours"; because: string };

/**
 * Counts the versions in which etcd stores a definition's objects, page by page. Yields nothing if no etcd is configured. An etcd with
 * a different definition of that name, or none, belongs to another cluster and isn't counted. No value is kept.
 */
export async function* countInEtcd(crd: Crd, signal: AbortSignal): AsyncGenerator<EtcdReading> {
  const env = readEnv();
  if (env.CRDSHIFT_ETCD_ENDPOINTS.length === 0) return;
  try {
    yield* countWith(env, crd, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error)) throw error;
    yield { kind: "failed", because: errorWords(error) };
  }
}

async function* countWith(env: Env, crd: Crd, signal: AbortSignal): AsyncGenerator<EtcdReading> {
  const client = etcdClient(env.CRDSHIFT_ETCD_ENDPOINTS, readEtcdCredentials(env));
  try {
    const prefix = env.CRDSHIFT_ETCD_PREFIX;
    const mismatch = await mismatchOf(client, prefix, crd, signal);
    if (mismatch !== null) return yield { kind: "not-ours", because: `${mismatch} under ${prefix || "/"}` };
    let count: EtcdCount | null = null;
    for await (const page of etcdPages(client, `${prefix}/${crd.group}/${crd.plural}/`, signal)) {
      if (!count || page.restarted) count = emptyCount(page);
      addPage(count, page, crd.group);
      yield { kind: "growing", count };
    }
    if (count) yield { kind: "complete", count };
  } finally {
    await client.close();
  }
}

/**
 * Why this etcd isn't the one behind the API server: another cluster's has a different definition, and a copy has an older one. Null
 * if nothing says so.
 * @throws AppError if it can't tell.
 */
async function mismatchOf(client: EtcdClient, prefix: string, crd: Crd, signal: AbortSignal): Promise<string | null> {
  const key = Buffer.from(`${prefix}/apiextensions.k8s.io/customresourcedefinitions/${crd.name}`);
  const answer = await client.range({ key, limit: 1, revision: null, maxBytes: ONE_MAX_BYTES }, signal);
  if (answer.kind === "too-large") throw tooLarge();
  const [entry] = answer.kind === "entries" ? answer.entries : [];
  if (!entry) return "doesn't have this definition";
  const uid = readStoredUid(entry.value);
  if (uid === null) throw new AppError("cluster_rejected", `The value of ${crd.name} itself is encrypted or in another format there.`);
  if (uid !== crd.uid) return "has a different definition with this name";
  const isOlder = compareResourceVersions(entry.modRevision, crd.resourceVersion) < 0;
  return isOlder ? "has only an older copy of this definition" : null;
}

function emptyCount({ revision, total }: EtcdPage): EtcdCount {
  return { revision, asOf: new Date().toISOString(), total, versions: new Map(), encrypted: 0, unreadable: 0 };
}

function addPage(count: EtcdCount, { entries }: EtcdPage, group: string): void {
  for (const { value, modRevision } of entries) {
    const stored = readStoredValue(value, group);
    if (stored.kind !== "version") {
      count[stored.kind] += 1;
      continue;
    }
    const known = count.versions.get(stored.version) ?? { objects: 0, lastResourceVersion: modRevision };
    const isNewer = compareResourceVersions(modRevision, known.lastResourceVersion) > 0;
    const lastResourceVersion = isNewer ? modRevision : known.lastResourceVersion;
    count.versions.set(stored.version, { objects: known.objects + 1, lastResourceVersion });
  }
}

/** How an object is stored, according to its value in etcd. */
type StoredValue = { kind: "version"; version: string } | { kind: "encrypted" } | { kind: "unreadable" };

/** The prefix of every value that the API server encrypted. Source: apiserver/pkg/server/options/encryptionconfig. */
const ENCRYPTED = Buffer.from("k8s:enc:");

/** The version of `group` in which a custom resource is stored, from the apiVersion in its JSON. */
export function readStoredValue(value: Buffer, group: string): StoredValue {
  if (value.subarray(0, ENCRYPTED.length).equals(ENCRYPTED)) return { kind: "encrypted" };
  const apiVersion = field(parseJson(value), "apiVersion");
  const [storedGroup, version, ...more] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  if (storedGroup !== group || !version || more.length > 0) return { kind: "unreadable" };
  return { kind: "version", version };
}

/** The uid of an object stored as JSON; null for anything else. */
export function readStoredUid(value: Buffer): string | null {
  const uid = field(field(parseJson(value), "metadata"), "uid");
  return typeof uid === "string" ? uid : null;
}

// CBOR (d9 d9 f7 …) and protobuf ("k8s\0" …) aren't JSON either.
function parseJson(value: Buffer): unknown {
  try {
    return JSON.parse(value.toString("utf8"));
  } catch {
    return null;
  }
}

function field(json: unknown, name: string): unknown {
  return typeof json === "object" && json !== null ? Object.entries(json).find(([key]) => key === name)?.[1] : undefined;
}

export interface EtcdPage {
  entries: EtcdEntry[];
  /** The same on every page, unless reading restarted. */
  revision: string;
  /** All keys of the range at that revision. */
  total: number;
  /** The revision was compacted while reading: discard the earlier pages. */
  restarted: boolean;
}

const MIB = 1024 * 1024;
/** Longer responses are abandoned and requested in smaller parts. */
const MAX_BYTES = 16 * MIB;
/** Of a single value, in base64. etcd takes 1.5 MiB, unless --max-request-bytes is raised. */
const ONE_MAX_BYTES = 64 * MIB;
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
    const maxBytes = limit === 1 ? ONE_MAX_BYTES : MAX_BYTES;
    const answer = await client.range({ key, end: rangeEnd(prefix), limit, revision, maxBytes }, signal);
    switch (answer.kind) {
      case "too-large":
        if (limit === 1) throw tooLarge();
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

function tooLarge(): AppError {
  return new AppError("cluster_rejected", `A value in etcd is longer than ${ONE_MAX_BYTES / MIB} MiB, so crdshift doesn't read it.`, {
    nextStep: "Remove CRDSHIFT_ETCD_ENDPOINTS to count without etcd.",
  });
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
