import { expect, test } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/fault-test.ts";
import { readRecord } from "#lib/rewrite/testing/hold-elsewhere.ts";
import { soon } from "#lib/rewrite/testing/open-test-bench.ts";
import { writeRecord } from "#lib/rewrite/testing/write-record.ts";

// Something stores an object at the old version after the settle point, between a run's list and the object's patch, which gets a 409.

const OBJECTS = 20;
const written = objectName(OBJECTS - 1);
const relabeled = () => ({ metadata: { labels: { at: String(Math.round(performance.now())) } } });
const prune = ({ connection }: FaultBench, { name }: SampleDefinition) => pruneStoredVersions(connection, name, name, soon());

async function proven(bench: FaultBench) {
  const definition = await bench.stale(OBJECTS);
  const { text = "" } = (await definition.storedValues(bench.cluster.etcd)).get(written) ?? {};
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const putOld = () => putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/${written}`, text);
  const isNew = bench.proxy.seen.length;
  const patches = () => bench.proxy.seen.slice(isNew).filter(patchOf(definition, written));
  return { definition, putOld, patches };
}

// Without movedTo (rewrite-object.ts) the run succeeds, counts it as already current, and a prune leaves it at v1beta1.
test("a run that verifies every object finds it", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld, patches } = await proven(bench);
    const held = bench.proxy.hold(patchOf(definition, written), "before", 1);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    await putOld();
    held.release();
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1, alreadyCurrent: OBJECTS - 1 } });
    expect(patches().map(({ status }) => status)).toEqual([409, 200, 200]);
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

// Without MAX_ATTEMPTS (rewrite-object.ts) one such object holds a run for ever.
test("one that is written again before each of its patches is rejected", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, patches } = await proven(bench);
    let isOn = true;
    const held = (): void => {
      const next = bench.proxy.hold(patchOf(definition, written), "before", 1);
      void next.reached.then(async () => {
        await bench.api.request("PATCH", definition.path("v1", { name: written }), relabeled(), "application/merge-patch+json");
        if (isOn) held();
        next.release();
      });
    };
    held();
    expect(await bench.rewrite(definition, { verify: "every-object" })).toMatchObject({
      phase: "unproven",
      counts: { rejected: 1, alreadyCurrent: OBJECTS - 1 },
      rejections: [{ reason: "Conflict", message: expect.stringContaining("It kept changing") }],
    });
    isOn = false;
    expect(patches().filter(({ status }) => status === 409)).toHaveLength(10);
  });
});
