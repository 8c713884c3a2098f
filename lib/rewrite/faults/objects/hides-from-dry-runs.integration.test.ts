import { expect, onTestFinished } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/fault-test.ts";
import { soon } from "#lib/rewrite/testing/open-test-bench.ts";
import { type ReviewedObject, reviewServer, sendJson } from "#lib/rewrite/testing/webhook-server.ts";

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
