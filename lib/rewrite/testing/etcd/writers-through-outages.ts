import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { ApiError } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

/** Writers that continue after an outage. An unanswered write may have happened. */
export interface OutageWriters {
  /** Stops the writers and compares `spec.count` in etcd with the acknowledged and the unanswered writes. */
  expectNothingLost(): Promise<void>;
}

interface Written {
  acknowledged: number;
  unanswered: number;
}

const WRITERS = 2;
const RETRY_MS = 100;

/** Writers that increment `spec.count` of the first `objects` objects, with a resourceVersion. */
export function writersThroughOutages({ api, cluster }: TestBench, definition: SampleDefinition, objects: number): OutageWriters {
  const written = new Map<string, Written>();
  const stop = new AbortController();
  const addOne = async (name: string, count: Written) => {
    const path = definition.path("v1", { name });
    const object = await api.get<{ metadata: { name: string }; spec: { count?: number } }>(path);
    const spec = { ...object.spec, count: (object.spec.count ?? 0) + 1 };
    try {
      await api.request("PUT", `${path}?fieldManager=careful-writer`, { ...object, spec });
      count.acknowledged += 1;
    } catch (error) {
      // An error below 500 is a definite refusal; anything else may have happened.
      if (!(error instanceof ApiError && error.status < 500)) count.unanswered += 1;
      throw error;
    }
  };
  const write = async (writer: number) => {
    for (let turn = 0; !stop.signal.aborted; turn += 1) {
      const name = objectName((writer * 7 + turn) % objects);
      const count = written.get(name) ?? { acknowledged: 0, unanswered: 0 };
      written.set(name, count);
      await addOne(name, count).catch(() => setTimeout(RETRY_MS));
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    async expectNothingLost() {
      const answered = () => [...written.values()].filter(({ acknowledged }) => acknowledged > 0).length;
      await expect.poll(answered, { timeout: 60_000 }).toBe(objects);
      stop.abort();
      await writing;
      const stored = await definition.storedValues(cluster.etcd);
      expect(written.size).toBe(objects);
      for (const [name, { acknowledged, unanswered }] of written) {
        const count: unknown = JSON.parse(stored.get(name)?.specText ?? "{}").count;
        expect(count, name).toBeGreaterThanOrEqual(acknowledged);
        expect(count, name).toBeLessThanOrEqual(acknowledged + unanswered);
      }
    },
  };
}
