import { expect, test } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, past, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Something stores an object at the old version after the settle point, between a run's list and the object's patch, which gets a 409.

const OBJECTS = 20;
const written = objectName(OBJECTS - 1);
const relabeled = () => ({ metadata: { labels: { at: String(Math.round(performance.now())) } } });
const refusal = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Invalid", message: "spec.size: Invalid value", code: 422 };
const prune = ({ connection }: FaultBench, { name }: SampleDefinition) => pruneStoredVersions(connection, name, name, soon());

/** The first pass has patched it, too. */
const inVerification = (definition: SampleDefinition) => past(1, patchOf(definition, written));

/** All objects, none of which has changed since the settle point. */
async function proven(bench: FaultBench) {
  const definition = await bench.stale(OBJECTS);
  const { text = "" } = (await definition.storedValues(bench.cluster.etcd)).get(written) ?? {};
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await definition.setVersions(afterFlip.map((version) => ({ ...version, deprecated: version.name === "v1beta1" })));
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { alreadyCurrent: OBJECTS } });
  const putOld = () => putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/${written}`, text);
  const isNew = bench.proxy.seen.length;
  const patches = () => bench.proxy.seen.slice(isNew).filter(patchOf(definition, written));
  return { definition, putOld, patches };
}

// Without movedTo (rewrite-object.ts) the run succeeds, counts it as already current, and a prune leaves it at v1beta1.
test("a run that verifies every object finds it", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld, patches } = await proven(bench);
    const held = bench.proxy.hold(inVerification(definition), "before", 1);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    await putOld();
    held.release();
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1, alreadyCurrent: OBJECTS - 1 } });
    expect(patches().map(({ status }) => status)).toEqual([200, 409, 200, 200]);
    await prune(bench, definition);
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  });
});

// If the settle point stayed, the next run would skip it.
test("one that is then rejected disproves the settle point", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld } = await proven(bench);
    const held = bench.proxy.hold(patchOf(definition, written), "before", 1);
    const refused = { kind: "answer", status: 422, body: JSON.stringify(refusal) } as const;
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    await putOld();
    const fault = bench.proxy.inject(patchOf(definition, written), refused, Number.POSITIVE_INFINITY);
    held.release();
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
    expect((await readRecord(definition)).settlePoint).toBeNull();
    fault.stop();
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
    await prune(bench, definition);
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  });
});

// Without movedTo (noting-unanswered.ts) it disproves what the listed object would have disproved: not the settle point.
test("so does one whose next patch gets no answer before the run is cancelled", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld } = await proven(bench);
    const held = bench.proxy.hold(inVerification(definition), "before", 1);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    await putOld();
    const next = bench.proxy.hold(patchOf(definition, written), "before", 99);
    held.release();
    await next.reached;
    expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled" });
    next.release();
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
    await prune(bench, definition);
    expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
  });
});

// Another installation's proof.
test("so does the verification of a claimed proof", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld } = await proven(bench);
    const { proof, ...record } = await readRecord(definition);
    await writeRecord(bench.api, definition, { ...record, proof: proof && { ...proof, signature: null } });
    const held = bench.proxy.hold(patchOf(definition, written), "before", 1);
    const pruning = prune(bench, definition);
    await held.reached;
    await putOld();
    held.release();
    await expect(pruning).rejects.toMatchObject({ message: expect.stringContaining("1 object had been stored at an older version") });
    expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  });
});

/** Someone changes the object before each of its patches from the first of these on, until that is stopped. */
function keepChanging({ api, proxy }: FaultBench, definition: SampleDefinition, first: Match): () => void {
  let isOn = true;
  const hold = (match: Match): void => {
    const next = proxy.hold(match, "before", 1);
    void next.reached.then(async () => {
      await api.mergePatch(definition.path("v1", { name: written }), relabeled());
      if (isOn) hold(patchOf(definition, written));
      next.release();
    });
  };
  hold(first);
  return () => {
    isOn = false;
  };
}

// Without MAX_ATTEMPTS (rewrite-object.ts) one such object holds a run for ever.
test("where one is written again before each of its patches, the run fails, and what was proven before holds", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, patches } = await proven(bench);
    const stop = keepChanging(bench, definition, inVerification(definition));
    expect(await bench.rewrite(definition, { verify: "every-object" })).toMatchObject({
      phase: "failed",
      counts: { rejected: 0, alreadyCurrent: OBJECTS },
      statusReason: expect.stringContaining(`${written} was changed by others between each of crdshift's reads and patches`),
    });
    stop();
    expect((await readRecord(definition)).proof).not.toBeNull();
    expect(patches().filter(({ status }) => status === 409)).toHaveLength(10);
  });
});

// With isBusy for it, too (rewriteAsItIs in rewrite-object.ts), whoever may write one object fails everyone's runs.
test("one that is being deleted, and written again before each of its patches, fails no run that doesn't verify every object", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, patches } = await proven(bench);
    const path = definition.path("v1", { name: written });
    await bench.api.mergePatch(path, { metadata: { finalizers: ["example.com/hold"] } });
    await bench.api.delete(path);
    const stop = keepChanging(bench, definition, patchOf(definition, written));
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rejected: 0, alreadyCurrent: OBJECTS } });
    stop();
    expect(patches().filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(10);
    await bench.api.mergePatch(path, { metadata: { finalizers: null } });
  });
});
