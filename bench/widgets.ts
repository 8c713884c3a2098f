import { sleep } from "#lib/async/sleep.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import { retryWhileBusy } from "#lib/cluster/transport/retry-while-busy.ts";
import { readEtcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { BenchCluster } from "./bench-cluster.ts";

/** A definition with objects of one size whose storage version alternates. */
export interface Widgets {
  definition: SampleDefinition;
  /** Creates the objects, once. */
  fill(count: number): Promise<void>;
  /** The path of the index-th object. */
  objectPath(version: string, index: number): string;
  /**
   * Makes the other version the storage version, as a user would, and returns its name once that takes effect. Throws unless every
   * object is stored at the previous version, so that each needs a rewrite.
   */
  flip(): Promise<string>;
  /** Throws unless etcd holds all objects, each at the storage version. Asks only etcd. */
  expectStored(): Promise<void>;
}

export const OBJECT_BYTES = 1_024;
/** The approximate size that the API server adds to the payload. */
const OVERHEAD_BYTES = 400;

/** A flip does not take effect immediately; without a wait, engines that don't settle would leave objects behind. */
const FLIP_SETTLES_MS = 3_000;
const VERSIONS = ["v1", "v1beta1"];
/** A stored value is JSON that begins with its apiVersion. */
const HEAD_BYTES = 200;

/** Creates the definition `widgets.<group>`, without objects. */
export async function createWidgets({ api, etcd }: BenchCluster, group: string): Promise<Widgets> {
  let storage = "v1beta1";
  let count = 0;
  const definition = await createDefinition(api, versions(storage), { group });
  const expectStored = async () => {
    const entries = await readEtcd(etcd, `/registry/${group}/widgets/`);
    const wanted = `"apiVersion":"${group}/${storage}"`;
    const stale = entries.filter(({ value }) => !Buffer.from(value).subarray(0, HEAD_BYTES).includes(wanted));
    if (entries.length === count && stale.length === 0) return;
    throw new Error(`Of ${count} objects etcd holds ${entries.length}, and ${stale.length} are not stored as ${storage}.`);
  };
  return {
    definition,
    expectStored,
    async fill(objects) {
      const payload = "x".repeat(OBJECT_BYTES - OVERHEAD_BYTES);
      await definition.createObjects(storage, objects, (index) => ({ size: index, payload }));
      count = objects;
    },
    objectPath: (version, index) => definition.path(version, { name: objectName(index) }),
    async flip() {
      await expectStored();
      storage = storage === "v1" ? "v1beta1" : "v1";
      await definition.setVersions(versions(storage));
      await sleep(FLIP_SETTLES_MS, AbortSignal.timeout(2 * FLIP_SETTLES_MS));
      return storage;
    },
  };
}

function versions(storage: string) {
  const properties = { size: { type: "integer" }, payload: { type: "string" } };
  return VERSIONS.map((name) => ({ name, storage: name === storage, properties }));
}

const GIVE_UP_MS = 30 * 60_000;

/**
 * Watches for the next change of any object and returns a promise of its time by performance.now(). The watch ends with that
 * change, so later changes cost nothing.
 */
export async function nextChange({ api, connection }: BenchCluster, { definition }: Widgets, over: AbortSignal) {
  const path = definition.path("v1");
  const { metadata } = await api.list(`${path}?limit=1`);
  const query = new URLSearchParams({ watch: "1", resourceVersion: metadata.resourceVersion, timeoutSeconds: String(GIVE_UP_MS / 1_000) });
  // Right after a flip the API server may answer that storage is (re)initializing. No change is missed: the watch begins at the list.
  const changed = retryWhileBusy(async () => {
    const lines = requestLines(connection, {
      path: `${path}?${query}`,
      accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
      signal: over,
      timeoutMs: GIVE_UP_MS,
    });
    for await (const _ of lines) return performance.now();
    throw new Error("The watch ended without a change.");
  }, over);
  // It may fail before anyone awaits it.
  changed.catch(() => {});
  return { changed };
}
