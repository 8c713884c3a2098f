import { expect, onTestFinished, test, vi } from "vitest";
import { type FaultProxy, faultProxy, type Held, type SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { controlOf } from "#lib/rewrite/run/running.ts";
import {
  type FaultBench,
  faultTest,
  past,
  patchOf,
  recordOf,
  sentForObjectsOf,
  underFaults,
} from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { type CrdshiftProcess, Refused, SOON, startCrdshift } from "#lib/rewrite/testing/clusters/crdshift-process.ts";
import { type EtcdChange, writesAt } from "#lib/rewrite/testing/etcd/etcd-history.ts";
import { holdElsewhere, readRecord, recordIn } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 200;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 20;
/** The most that a run has under way: some of them may be on their way to a connection when the first one arrives and it is stopped. */
const UNDER_WAY = 24;
const TAKE_OVER_SHOWN_MS = 90_000;
const AWAKE_WITHIN_MS = 30_000;

interface TwoCrdshifts {
  definition: SampleDefinition;
  id: string;
  first: CrdshiftProcess;
  /** Through a separate proxy, to tell who sent what. */
  second: CrdshiftProcess;
  held: Held;
}

// Without the hold by the clock (outage-gate.ts) the woken one goes on with all that is left as soon as its held patches are answered.
faultTest("the first is stopped mid page and woken when the second has proven and pruned", async (bench) => {
  const { proxy, changes, storedAs } = bench;
  const middle = (definition: SampleDefinition) => proxy.hold(past(DONE, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
  const two = await takenOver(bench, middle);
  expect((await two.second.prune(two.definition)).storedVersions).toEqual(["v1"]);
  // Each object that a write without an answer turns out to have stored is one more reason to look at the record (withdrawIfStored).
  const sent = await wakeFirst(bench, two, 1 + UNDER_WAY);
  const patches = sent.filter(patchOf(two.definition));
  expect(patches.length).toBeLessThan(UNDER_WAY);
  // It looks at objects of which a write was under way, perhaps on its way to a connection, and at nothing else.
  const looks = sent.filter((request) => !patches.includes(request));
  const ofObjects = `/apis/${two.definition.group}/v1/namespaces/default/widgets/`;
  expect(looks.filter(({ method, path }) => method !== "GET" || !path.startsWith(ofObjects)).map(({ path }) => path)).toEqual([]);
  expect(looks.length).toBeLessThanOrEqual(UNDER_WAY);
  expect(await storedAs(two.definition)).toEqual({ v1: OBJECTS });
  expect([...writesAt(await changes(), two.definition, "v1").values()]).toEqual(Array(OBJECTS).fill(1));
});

// Without the resourceVersion under which the record is written (crds.ts) the first one's proof replaces the second one's.
faultTest("the first is stopped with its proof on the way, and woken when the second has proven", async (bench) => {
  const { proxy, changes } = bench;
  const two = await takenOver(bench, (definition) => proxy.hold(recordOf(definition, '\\"proof\\":{'), "before"));
  const sent = await wakeFirst(bench, two);
  expect(sent).toEqual([]);
  expect(new Set((await changes()).flatMap(proofsIn(two.definition))).size).toBe(1);
  expect((await two.definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  expect((await two.second.prune(two.definition)).storedVersions).toEqual(["v1"]);
});

// With the time of the answer in place of the record's renewedAt (keep-renewing.ts, for the first lease and for a renewal) the woken one goes on
// beside the other one.
test.each(["settling", "rewriting"])(
  "the machine sleeps with the answer to the record as %s on its way, while another takes over",
  async (phase) => {
    await underFaults(workerCluster(), async ({ api, connection, proxy, stale, start, run }) => {
      const slowly = { acceptUnseen: true, maxPerSecond: 4 };
      const definition = await stale(OBJECTS);
      // With a settle point nothing needs to be written before the first patch.
      const earlier = await start(definition, slowly);
      await expect.poll(async () => (await run(definition, earlier.id)).counts.rewritten, SOON).toBeGreaterThan(0);
      await cancelRewrite(connection, definition.name, earlier.id, soon());
      const held = proxy.hold(recordOf(definition, `\\"phase\\":\\"${phase}\\"`), "after");
      const started = start(definition, slowly);
      await held.reached;
      sleepFor(60_000);
      await holdElsewhere(api, definition, { phase: "rewriting", renewedAt: new Date(Date.now()).toISOString() });
      const record = await readRecord(definition);
      const sentBefore = proxy.seen.length;
      held.release();
      const { id } = await started;
      await expect.poll(() => controlOf({ crd: definition.name, id }), { timeout: AWAKE_WITHIN_MS }).toBeNull();
      const sent = proxy.seen.slice(sentBefore).filter(sentForObjectsOf(definition));
      expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      expect(await readRecord(definition)).toEqual(record);
    });
  },
);

/** As this process sees it that the machine slept: the clock went on, the timers did not. */
function sleepFor(ms: number): void {
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + ms);
  onTestFinished(() => void vi.restoreAllMocks());
}

/** The first one is stopped where the proxy holds it; the second one takes over when it may, and proves. */
async function takenOver(bench: FaultBench, hold: (definition: SampleDefinition) => Held): Promise<TwoCrdshifts> {
  const { cluster, proxy, stale, storedAs } = bench;
  const [first, second] = [await startCrdshift(cluster, proxy), await startCrdshift(cluster, await faultProxy(cluster))];
  const definition = await stale(OBJECTS);
  const held = hold(definition);
  const id = await first.start(definition, { acceptUnseen: true });
  await held.reached;
  first.signal("SIGSTOP");

  const refusal: unknown = await second.start(definition).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ body: { code: "conflict", details: { run: { id } } } });
  await expect(second.resume(definition, id)).rejects.toBeInstanceOf(Refused);
  await expect.poll(async () => (await second.run(definition, id)).phase, { timeout: TAKE_OVER_SHOWN_MS }).toBe("interrupted");
  // Nothing of the first one is under way at the API server any more.
  const done = (await storedAs(definition)).v1 ?? 0;
  await second.resume(definition, id);
  await expect.poll(async () => (await second.run(definition, id)).phase, { timeout: 30_000 }).toBe("succeeded");
  const { counts, rewrittenAtLeast } = await second.run(definition, id);
  // How many of those that the first one rewrote are on record depends on its last renewal.
  expect({ counts, rewrittenAtLeast }).toMatchObject({ counts: { total: OBJECTS, remaining: 0 }, rewrittenAtLeast: true });
  expect(counts.rewritten + counts.alreadyCurrent).toBe(OBJECTS);
  expect(counts.rewritten).toBeGreaterThanOrEqual(OBJECTS - done);
  return { definition, id, first, second, held };
}

/** Wakes the first one and lets what it had sent arrive; what it then sends for the run beyond that many looks at the record. */
async function wakeFirst({ proxy }: FaultBench, { definition, id, first, held }: TwoCrdshifts, mayLook = 1): Promise<SeenRequest[]> {
  const before = { record: await readRecord(definition), sent: proxy.seen.length };
  held.release();
  await expect.poll(() => unanswered(proxy), { timeout: AWAKE_WITHIN_MS }).toEqual([]);
  first.signal("SIGCONT");
  const phase = () => first.run(definition, id).then((run) => run.phase, String);
  await expect.poll(phase, { timeout: AWAKE_WITHIN_MS }).toBe("succeeded");
  expect((await first.run(definition, id)).takenOverAt).not.toBeNull();
  const forRun = proxy.seen.slice(before.sent).filter((request) => isForRun(request, definition, id));
  const looks = forRun.filter(({ method, path }) => method === "GET" && path.includes(`/customresourcedefinitions/${definition.name}`));
  expect(looks.length).toBeLessThanOrEqual(mayLook);
  expect(await readRecord(definition)).toEqual(before.record);
  return forRun.filter((request) => !looks.includes(request));
}

function unanswered(proxy: FaultProxy): string[] {
  return proxy.seen.filter(({ method, status }) => method === "PATCH" && status === null).map(({ path }) => path);
}

function isForRun({ path, headers }: SeenRequest, definition: SampleDefinition, id: string): boolean {
  return headers["user-agent"]?.includes(id) || path.includes(`/customresourcedefinitions/${definition.name}`);
}

/** When the proof was written that a change of the definition holds, if it holds one. */
function proofsIn(definition: SampleDefinition): (change: EtcdChange) => string[] {
  return ({ key, text }) => {
    if (!key.endsWith(`/customresourcedefinitions/${definition.name}`) || text === null) return [];
    const { proof } = recordIn(JSON.parse(text)) ?? { proof: null };
    return proof ? [proof.provenAt] : [];
  };
}
