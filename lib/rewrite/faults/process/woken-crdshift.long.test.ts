import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { faultProxy } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 60;
const DONE = 20;
/** The woken one gives up what was under way, and looks at those objects. */
const AWAKE_MS = 15_000;

const withKey = (byte: number) => ({ env: { CRDSHIFT_SESSION_KEYS: Buffer.alloc(32, byte).toString("base64") } });

interface Waking {
  secondKey: number;
  verify: "settle-point" | "every-object";
  /** Of a definition that the second one has proven and pruned before. */
  prepare?: (definition: SampleDefinition) => Promise<unknown>;
}

/** Two crdshifts; the first is stopped while its patches are held before the API server, until the second has taken over and proven. */
async function wokenAfterProof(bench: FaultBench, { secondKey, verify, prepare }: Waking) {
  const { cluster, proxy, stale } = bench;
  const first = await startCrdshift(cluster, proxy, withKey(1));
  const second = await startCrdshift(cluster, await faultProxy(cluster), withKey(secondKey));
  const definition = await stale(OBJECTS);
  const ended = async (id: string) => expect.poll(async () => (await second.run(definition, id)).phase, SOON).toBe("succeeded");
  await ended(await second.start(definition, { acceptUnseen: true }));
  if (prepare) await second.prune(definition);
  await prepare?.(definition);
  const held = proxy.hold(past(DONE, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
  const id = await first.start(definition, { acceptUnseen: true, verify });
  await held.reached;
  first.signal("SIGSTOP");
  await expect.poll(async () => (await second.run(definition, id)).phase, SOON).toBe("interrupted");
  await second.resume(definition, id);
  await ended(id);
  if (!prepare) expect((await second.prune(definition)).storedVersions).toEqual(["v1"]);
  const record = await readRecord(definition);
  first.signal("SIGCONT");
  await setTimeout(AWAKE_MS);
  held.release();
  return { record, after: await readRecord(definition), states: [await second.detail(definition), await first.detail(definition)] };
}

// Without wasNothing (withdraw-evidence.ts) each object that was under way disproves the other one's proof, which holds for it.
faultTest("one that wakes up after the other has proven and pruned leaves the proof, if nothing of it was stored", async (bench) => {
  const { record, after, states } = await wokenAfterProof(bench, { secondKey: 1, verify: "every-object" });
  expect(after).toEqual(record);
  expect(states.map(({ state }) => state)).toEqual(["current", "current"]);
});

// Where only a proof of its own covers what it may have written (withdraw-anyway.ts), the other one's is gone.
faultTest(
  "so does one with another key, which doesn't trust that proof, where the other one has written the objects since",
  async (bench) => {
    const extra = { size: { type: "integer" }, extra: { type: "string" } };
    const prepare = (definition: SampleDefinition) =>
      bench.flip(definition, [{ name: "v1", storage: true, properties: extra }, { name: "v1beta1" }]);
    const { record, after, states } = await wokenAfterProof(bench, { secondKey: 2, verify: "settle-point", prepare });
    expect(after).toEqual(record);
    expect(states[0]).toMatchObject({ state: "current" });
  },
);
