import { expect, onTestFinished, test } from "vitest";
import { seededRandom, testSeed } from "#lib/cluster/testing/seeded-random.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { past, patchOf, recordOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import type { EtcdChange } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { writersThroughOutages } from "#lib/rewrite/testing/etcd/writers-through-outages.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 3_000;
const WRITTEN_TO = 40;
const KILLS = 8;

// Without the retries of finishRun, the last kill leaves the run without a recorded end.
test("the API server is killed repeatedly, even while the proof is written: the run still ends proven", async () => {
  const own = await startLocalCluster();
  onTestFinished(own.stop);
  await underFaults(own, async (bench) => {
    const { proxy, stale, storedAs, changes } = bench;
    const random = seededRandom(testSeed());
    const crdshift = await startCrdshift(own, proxy);
    const definition = await stale(OBJECTS);
    const writers = writersThroughOutages(bench, definition, WRITTEN_TO);
    const proof = proxy.hold(recordOf(definition, '\\"proof\\":{'), "before");
    const id = await crdshift.start(definition, { acceptUnseen: true });
    const now = () => crdshift.run(definition, id);
    const killOnce = async () => {
      await own.apiServer.kill();
      await expect.poll(async () => (await now()).statusReason, { timeout: 30_000 }).toMatch(/can't be reached|can't yet record/);
      await own.apiServer.start();
    };

    for (let kill = 1; kill <= KILLS; kill += 1) {
      const held = proxy.hold(past(100 + Math.floor(200 * random()), patchOf(definition)), random() < 0.5 ? "before" : "after");
      await held.reached;
      const killed = killOnce();
      held.release();
      await killed;
    }
    await proof.reached;
    const killed = killOnce();
    proof.release();
    await killed;

    await expect.poll(async () => (await now()).phase, { timeout: 120_000, interval: 200 }).toBe("succeeded");
    await writers.expectNothingLost();
    const { counts } = await now();
    const writes = [...ownWrites(await changes(), definition).values()];
    expect(counts).toMatchObject({ total: OBJECTS, gone: 0, rejected: 0, remaining: 0 });
    expect(counts.rewritten + counts.alreadyCurrent).toBe(OBJECTS);
    expect(counts.rewritten).toBeGreaterThanOrEqual(writes.length);
    expect(writes.filter((times) => times > 1)).toEqual([]);
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
    expect(await readRecord(definition)).toMatchObject({ holder: null, proof: { objects: OBJECTS } });
  });
});

/** How often each object was written without a spec change, which only the rewrite does. */
function ownWrites(changes: readonly EtcdChange[], { group, plural }: SampleDefinition): Map<string, number> {
  const [writes, specs] = [new Map<string, number>(), new Map<string, string>()];
  for (const { key, text } of changes) {
    if (!key.startsWith(`/registry/${group}/${plural}/`) || text === null) continue;
    const spec = JSON.stringify(JSON.parse(text).spec);
    if (specs.get(key) === spec) writes.set(key, (writes.get(key) ?? 0) + 1);
    specs.set(key, spec);
  }
  return writes;
}
