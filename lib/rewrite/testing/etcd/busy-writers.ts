import { expect } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

/** Writers that increment the objects' `spec.count` with a resourceVersion and count what the API server acknowledged. */
export interface BusyWriters {
  /** Stops the writers and compares etcd with the acknowledged writes. Resolves to their manager's entries, by object. */
  expectNothingLost(): Promise<Map<string, unknown[]>>;
}

const MANAGER = "busy-writer";

export function busyWriters({ api, cluster }: TestBench, definition: SampleDefinition, objects: number): BusyWriters {
  const acknowledged = new Map<string, number>();
  const stop = new AbortController();
  const write = async (writer: number) => {
    for (let turn = 0; !stop.signal.aborted; turn++) {
      const name = objectName((writer * 3 + turn) % objects);
      const path = definition.path("v1", { name });
      const object = await api.get<{ metadata: { name: string }; spec: { count?: number } }>(path);
      const spec = { ...object.spec, count: (object.spec.count ?? 0) + 1 };
      const written = await api.request("PUT", `${path}?fieldManager=${MANAGER}`, { ...object, spec }).catch((error: unknown) => {
        // Another write came first: read again.
        if (!String(error).includes("the object has been modified")) throw error;
      });
      if (written) acknowledged.set(name, (acknowledged.get(name) ?? 0) + 1);
    }
  };
  const writing = Promise.all([0, 1, 2, 3].map(write));
  return {
    async expectNothingLost() {
      // What they wrote beside may have ended before their first write was answered.
      await Promise.race([writing, expect.poll(() => acknowledged.size, { timeout: 30_000 }).toBeGreaterThan(0)]);
      stop.abort();
      await writing;
      const stored = await definition.storedValues(cluster.etcd);
      for (const [name, { specText }] of stored) expect(JSON.parse(specText).count, name).toBe(acknowledged.get(name));
      const entriesOf = (name: string) => stored.get(name)?.metadata.managedFields?.filter(({ manager }) => manager === MANAGER) ?? [];
      return new Map([...acknowledged.keys()].map((name) => [name, entriesOf(name)]));
    },
  };
}
