import { expect } from "vitest";
import { seededRandom, testSeed } from "#lib/cluster/testing/seeded-random.ts";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const WRITERS = 20;
const OBJECTS = 120;
/** Enough that the run lasts a few seconds and all writers get their turns. */
const MAX_PER_SECOND = 40;
const SEEDS = 20;

interface Counter extends KubernetesObject {
  spec: { count: number };
}

const firstSeed = testSeed(1);

// With a full PUT of the object as listed in place of the empty patch (object-patches.ts) counters fall behind what was acknowledged.
for (let seed = firstSeed; seed < firstSeed + SEEDS; seed += 1) {
  faultTest(`seed ${seed}: compare-and-set counters of 20 writers end at what was acknowledged`, async (bench) => {
    const { cluster, stale, proxy, start, endOf, storedAs } = bench;
    const random = seededRandom(seed);
    const definition = await stale(OBJECTS, { spec: () => ({ count: 0 }) });
    // A few of the rewrite's own requests are lost on the way or on the way back.
    const lost = (when: "before" | "after") =>
      proxy.inject((request) => patchOf(definition)(request) && random() < 0.03, { kind: "reset", when }, 2);
    lost("before");
    lost("after");
    const writers = startWriters(bench, definition, random);
    await expect.poll(writers.acknowledged, { timeout: 20_000, interval: 5 }).toBeGreaterThan(WRITERS);
    const before = writers.acknowledged();
    const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: MAX_PER_SECOND });
    const end = await endOf(definition, id);
    const during = writers.acknowledged() - before;
    const counters = await writers.stop();

    expect(end).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, gone: 0, rejected: 0, remaining: 0 } });
    expect(during).toBeGreaterThan(WRITERS);
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    for (const [name, { specText }] of await definition.storedValues(cluster.etcd))
      expect(JSON.parse(specText), name).toEqual({ count: counters.get(name) ?? 0 });
  });
}

/** Twenty clients that read an object, add one and write it back with its resourceVersion, at either version, each in its own order. */
function startWriters({ api }: FaultBench, definition: SampleDefinition, random: () => number) {
  const counters = new Map<string, number>();
  let acknowledged = 0;
  const stopped = new AbortController();
  const write = async () => {
    while (!stopped.signal.aborted) {
      const name = objectName(Math.floor(random() * OBJECTS));
      const path = definition.path(random() < 0.5 ? "v1" : "v1beta1", { name });
      const object = await api.get<Counter>(path);
      const next = { ...object, spec: { count: object.spec.count + 1 } };
      const written = await api.request("PUT", path, next).catch((error: unknown) => {
        // Another write came first: read again.
        if (!String(error).includes("the object has been modified")) throw error;
      });
      if (!written) continue;
      counters.set(name, (counters.get(name) ?? 0) + 1);
      acknowledged += 1;
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, write));
  return {
    acknowledged: () => acknowledged,
    async stop() {
      stopped.abort();
      await writing;
      return counters;
    },
  };
}
