import { expect, onTestFinished } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { mutatingWebhook, type ReviewedObject, reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// A mutating webhook takes a field from each object that is really written, and leaves dry runs alone.

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const OBJECTS = 6;

const withNotes = (bench: FaultBench) => bench.stale(OBJECTS, { spec: (index) => ({ size: index, note: "precious" }) });
const sparing = { matchConditions: [{ name: "real", expression: "request.dryRun != true" }] };

async function notes({ cluster }: FaultBench, definition: SampleDefinition): Promise<number> {
  return [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;
}

/** Registers it, and returns once it is in force. */
async function removeNotes({ api }: FaultBench, definition: SampleDefinition, more: object): Promise<void> {
  let calls = 0;
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request }, response) => {
    calls += 1;
    const { object, dryRun } = request as { object: ReviewedObject; dryRun?: boolean };
    const isTaken = !dryRun && object.spec && "note" in object.spec;
    const patch = Buffer.from(JSON.stringify(isTaken ? [{ op: "remove", path: "/spec/note" }] : [])).toString("base64");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, patchType: "JSONPatch", patch } });
  });
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural], scope: "*" };
  const webhook = { name: `takes.${definition.group}`, clientConfig, sideEffects: "NoneOnDryRun", admissionReviewVersions: ["v1"] };
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [{ ...webhook, rules: [rule], ...more }] });
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
  // Another object, which has no note.
  const path = definition.path("v1", { name: "other" });
  await api.create(definition.path("v1", { name: "" }), {
    ...{ apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name: "other" }, spec: { size: 1 } },
  });
  let size = 1;
  const called = async () => {
    size += 1;
    await api.mergePatch(path, { spec: { size } });
    return calls;
  };
  await expect.poll(called, { timeout: 30_000 }).toBeGreaterThan(0);
}

// Without asksForDryRun (admission.ts) the dry run says that nothing is lost, and the rewrite takes the notes of all, proven.
faultTest("what a webhook does that isn't called for dry runs is unknown, and holds a rewrite back, and cleaning", async (bench) => {
  const definition = await withNotes(bench);
  await removeNotes(bench, definition, sparing);
  const because = expect.stringMatching(/^The mutating webhook takes\..* asks whether a request is a dry run/);
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: false, lossesUnknownBecause: because });
  await expect(bench.start(definition)).rejects.toMatchObject({ code: "precondition_failed", details: { unknownBecause: because } });
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  for await (const now of cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon())) {
    if (now.complete) expect(now).toMatchObject({ cleaned: 0, rejections: [{ reason: "LossUnknown" }] });
  }
  expect(await notes(bench, definition)).toBe(OBJECTS);
});

// Without the admission watch (verify-claimed-objects.ts) the verification takes the notes of all that are at work, and only then stops.
faultTest("a prune over somebody else's proof leaves alone what a webhook would change that isn't called for dry runs", async (bench) => {
  const { api, connection } = bench;
  const definition = await withNotes(bench);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const record = await readRecord(definition);
  await writeRecord(api, definition, { ...record, proof: record.proof && { ...record.proof, signature: null } });
  await removeNotes(bench, definition, sparing);
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    ...{
      code: "precondition_failed",
      message: expect.stringContaining("a mutating webhook or policy asks whether a request is a dry run"),
    },
  });
  expect(await notes(bench, definition)).toBe(OBJECTS);
});

// Without requireForetold (check-before-write.ts) it takes the notes of all, proven.
faultTest("a webhook that looks for dry runs itself is found by the first write, which ends the rewrite, and cleaning", async (bench) => {
  const definition = await withNotes(bench);
  await removeNotes(bench, definition, {});
  expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  const run = await bench.rewrite(definition);
  const told = expect.stringMatching(/^The write changed \S*widget-\d+, although a dry run right before it changed nothing/);
  expect(run).toMatchObject({ phase: "unproven", statusReason: told });
  const left = await notes(bench, definition);
  expect(left).toBeGreaterThan(0);
  expect((await readDetail(bench.connection, definition.name, soon())).proof).toBeNull();
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const cleaning = async () => {
    for await (const _ of cleanManagedFields(bench.connection, crd, { versions: ["v1beta1"] }, soon()));
  };
  await expect(cleaning()).rejects.toThrow(/^The write changed \S*widget-\d+, although a dry run/);
});

/** One of the objects, in the old version, is being deleted, and held by a finalizer, which a webhook takes with each write. */
async function heldAndTaken({ api, cluster, stale }: FaultBench, { inDryRuns }: { inDryRuns: boolean }): Promise<SampleDefinition> {
  const definition = await stale(OBJECTS);
  const held = definition.path("v1beta1", { name: objectName(0) });
  await api.mergePatch(held, { metadata: { finalizers: ["example.com/hold"] } });
  await api.delete(held);
  const key = `/registry/${definition.group}/${definition.plural}/default/${objectName(0)}`;
  const marked = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  await putIntoEtcd(cluster.etcd, key, marked.replace(`${definition.group}/v1"`, `${definition.group}/v1beta1"`));
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request }, response) => {
    const { object, dryRun } = request as { object: { metadata: { finalizers?: string[] } }; dryRun?: boolean };
    const isTaken = (inDryRuns || !dryRun) && object.metadata.finalizers !== undefined;
    const patch = Buffer.from(JSON.stringify(isTaken ? [{ op: "remove", path: "/metadata/finalizers" }] : [])).toString("base64");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, patchType: "JSONPatch", patch } });
  });
  await mutatingWebhook(api, definition, clientConfig);
  return definition;
}

// Without deletedByWrite (write-in-turn.ts) the object, which is gone, counts as already current, and the rest is proven.
faultTest(
  "a webhook that takes finalizers outside of dry runs is found by the first object that is gone, which counts as such",
  async (bench) => {
    const definition = await heldAndTaken(bench, { inDryRuns: false });
    expect(await bench.dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
    const statusReason = expect.stringMatching(/widget-000000 was being deleted, and is gone with the write: a webhook or policy took/);
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "unproven", statusReason });
    expect((await definition.storedValues(bench.cluster.etcd)).has(objectName(0))).toBe(false);
    const run = await bench.rewrite(definition, { acceptUnseen: true });
    expect(run).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS - 1 } });
  },
);

faultTest("an object whose finalizers a webhook takes in dry runs, too, is gone once that loss is accepted", async (bench) => {
  const definition = await heldAndTaken(bench, { inDryRuns: true });
  const { id, losses } = await bench.dryRun(definition);
  expect(losses).toMatchObject([{ kind: "dropped", path: "metadata.finalizers" }]);
  expect(await bench.rewrite(definition, { acceptLosses: true, dryRun: id })).toMatchObject({ phase: "succeeded", counts: { gone: 1 } });
  expect((await definition.storedValues(bench.cluster.etcd)).has(objectName(0))).toBe(false);
});
