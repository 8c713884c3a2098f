import { expect, test } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { mutatingWebhook, reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// Something stores two objects at the old version again after a proof. A run changes the first one, which disproves it, and ends before it
// gets to the other.

async function disprovedByTwo(bench: FaultBench): Promise<{ definition: SampleDefinition; putOld: () => Promise<void> }> {
  const definition = await bench.stale(4);
  const before = await definition.storedValues(bench.cluster.etcd);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 4 } });
  const putOld = async () => {
    for (const name of [objectName(0), objectName(3)]) {
      const text = before.get(name)?.text ?? "";
      await putIntoEtcd(bench.cluster.etcd, `/registry/${definition.group}/widgets/default/${name}`, text);
    }
  };
  return { definition, putOld };
}

/** Neither now nor after a plain rewrite, which skips what is above a settle point. */
async function expectNoWrongPrune(bench: FaultBench, definition: SampleDefinition): Promise<void> {
  const prune = () => pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  await expect(prune()).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await prune();
  expect(await bench.storedAs(definition)).toEqual({ v1: 4 });
}

// Without noteFind before changedAgainstCheck (write-in-turn.ts) the settle point stays, and the next run skips the other object.
test("a write that admission changed, though not its dry run, disproves what it would have disproved", async () => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld } = await disprovedByTwo(bench);
    let isOn = true;
    const { clientConfig } = await reviewServer(({ apiVersion, kind, request: { uid, object, dryRun } }, response) => {
      const changes = isOn && dryRun !== true && object?.metadata.name === objectName(0);
      const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/size", value: 77 }])).toString("base64");
      sendJson(response, { apiVersion, kind, response: { uid, allowed: true, ...(changes && { patchType: "JSONPatch", patch }) } });
    });
    await mutatingWebhook(bench.api, definition, clientConfig);
    await putOld();
    const held = bench.proxy.hold(({ path, method }) => method !== "LIST" && path.includes(objectName(3)), "before", 1);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await held.reached;
    setTimeout(held.release, 3_000).unref();
    expect(await bench.endOf(definition, id)).toMatchObject({ phase: "unproven" });
    isOn = false;
    await expectNoWrongPrune(bench, definition);
  });
});

// Without noteUnanswered (noting-unanswered.ts) the run was cancelled with nothing rewritten, and its proof stayed.
test.each(["after", "before"] as const)("so does one that is stored %s the run was cancelled, and gets no answer", async (when) => {
  await underFaults(workerCluster(), async (bench) => {
    const { definition, putOld } = await disprovedByTwo(bench);
    await putOld();
    const isPatch = patchOf(definition, objectName(0));
    // Stored before, its answer is held; stored after, it is.
    const written = bench.proxy.hold(isPatch, when === "before" ? "after" : "before", 99);
    const other = bench.proxy.hold(({ path, method }) => method !== "LIST" && path.includes(objectName(3)), "before", 99);
    const { id } = await bench.start(definition, { verify: "every-object" });
    await written.reached;
    await expect.poll(() => bench.storedAs(definition)).toEqual(when === "before" ? { v1: 3, v1beta1: 1 } : { v1: 2, v1beta1: 2 });
    expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled" });
    written.release();
    other.release();
    await bench.endOf(definition, id);
    await expectNoWrongPrune(bench, definition);
  });
});
