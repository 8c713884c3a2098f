import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { onTestFinished } from "vitest";
import { type Etcd, putIntoEtcd, streamFromEtcd } from "#lib/local-cluster/etcd.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

/** One key's change at one revision of etcd. */
export interface EtcdChange {
  revision: bigint;
  key: string;
  /** The value as text; null when the key was deleted. */
  text: string | null;
  /** Whether the key had no value before. */
  created: boolean;
}

/** Every etcd change below /registry, from this call to the end of the test. */
export interface EtcdHistory {
  /** All changes so far, ordered by revision, including every change made in etcd before this call. */
  changes(): Promise<EtcdChange[]>;
}

/** The number of writes at a version, by object name. */
export function writesAt(changes: readonly EtcdChange[], { group, plural }: SampleDefinition, version: string): Map<string, number> {
  const writes = new Map<string, number>();
  for (const { key, text } of changes) {
    if (!key.startsWith(`/registry/${group}/${plural}/`) || !text?.includes(`"apiVersion":"${group}/${version}"`)) continue;
    const name = key.slice(key.lastIndexOf("/") + 1);
    writes.set(name, (writes.get(name) ?? 0) + 1);
  }
  return writes;
}

interface WatchEvent {
  type?: "PUT" | "DELETE";
  kv: { key: string; value?: string; mod_revision: string; create_revision: string };
}

const PREFIX = "/registry/";
/** A key that no API server reads. Once its change arrives, all earlier changes have arrived. */
const MARKS = "/registry/crdshift-test-marks/";

/** Watches etcd itself (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/), so later compaction loses nothing. */
export async function etcdHistory(etcd: Etcd): Promise<EtcdHistory> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const heard: EtcdChange[] = [];
  let onHeard = Promise.withResolvers<void>();
  const all = { create_request: { key: inBase64(PREFIX), range_end: inBase64("/registry0") } };
  const changes = await streamFromEtcd(etcd, "/v3/watch", all, stop.signal);
  const started = Promise.withResolvers<void>();
  listen(changes, (events, created) => {
    if (created) started.resolve();
    heard.push(...events.map(changeOf));
    onHeard.resolve();
    onHeard = Promise.withResolvers();
  }).catch((error: unknown) => {
    started.reject(error);
    onHeard.reject(error);
    // There may be no waiter.
    onHeard.promise.catch(() => {});
  });
  await started.promise;

  return {
    async changes() {
      const mark = `${MARKS}${randomUUID()}`;
      await putIntoEtcd(etcd, mark, "");
      while (!heard.some(({ key }) => key === mark)) await onHeard.promise;
      return heard.filter(({ key }) => !key.startsWith(MARKS));
    },
  };
}

async function listen(answer: IncomingMessage, onEvents: (events: WatchEvent[], created: boolean) => void): Promise<void> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of answer) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { result } = JSON.parse(line) as { result?: { events?: WatchEvent[]; created?: boolean; canceled?: boolean } };
      if (!result || result.canceled) throw new Error(`etcd ended the watch: ${line}`);
      onEvents(result.events ?? [], result.created ?? false);
    }
  }
}

function changeOf({ type, kv }: WatchEvent): EtcdChange {
  return {
    revision: BigInt(kv.mod_revision),
    key: Buffer.from(kv.key, "base64").toString("utf8"),
    text: type === "DELETE" ? null : Buffer.from(kv.value ?? "", "base64").toString("utf8"),
    created: type !== "DELETE" && kv.mod_revision === kv.create_revision,
  };
}

function inBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
