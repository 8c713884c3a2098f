import { expect, onTestFinished, test } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { testCluster } from "#lib/rewrite/testing/test-cluster.ts";
import { reviewServer, sendJson } from "#lib/rewrite/testing/webhook-server.ts";

const bench = await testCluster();
const { cluster, api, stale, dryRun, rewrite } = bench;

const LONG_MS = 60_000;
const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** A mutating webhook that removes `spec.note` in each update. In force when this returns, until the end of the test. */
async function removeNotes(definition: SampleDefinition): Promise<void> {
  const { clientConfig } = await reviewServer((review, response) => {
    const { apiVersion, kind, request } = review;
    const patch = Buffer.from(JSON.stringify([{ op: "remove", path: "/spec/note" }])).toString("base64");
    const change = request.object?.spec?.note === undefined ? {} : { patchType: "JSONPatch", patch };
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, ...change } });
  });
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural], scope: "*" };
  const webhook = { name: `notes.${definition.group}`, clientConfig, sideEffects: "None", rules: [rule], admissionReviewVersions: ["v1"] };
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [webhook] });
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
  const path = `${definition.path("v1", { name: objectName(0) })}?dryRun=All`;
  const tried = async () => ((await api.mergePatch(path, {})) as { spec?: object }).spec;
  await expect.poll(tried, { timeout: 30_000 }).not.toHaveProperty("note");
}

/** Only the first object holds a note. */
const spec = (index: number) => (index === 0 ? { note: "precious" } : { size: index });

const noteOf = async (definition: SampleDefinition) => {
  const { specText = "" } = (await definition.storedValues(cluster.etcd)).get(objectName(0)) ?? {};
  return specText.includes("precious");
};

// Without the storage version in loss-refusal.ts the note is gone.
test("what a mutating webhook would take from an object outside the sample stays", { timeout: LONG_MS }, async () => {
  const definition = await stale(12, { spec });
  await removeNotes(definition);
  let tried = await dryRun(definition, { sampleSize: 1 });
  for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
  expect(tried).toMatchObject({ losses: [], lossesKnown: true, dryRun: { checked: 1 } });
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 11, rejected: 1 } });
  expect(run.rejections).toEqual([
    expect.objectContaining({ reason: "WouldLose", message: expect.stringContaining("spec.note would be dropped") }),
  ]);
  expect(await noteOf(definition)).toBe(true);
});

// Without mayBelieve (loss-guard.ts) a dry run of all objects is believed.
test("what a mutating webhook would take that was installed after a dry run of all objects stays", { timeout: LONG_MS }, async () => {
  const definition = await stale(3, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true, dryRun: { checked: 3 } });
  await removeNotes(definition);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 2, rejected: 1 } });
  expect(await noteOf(definition)).toBe(true);
});

// Without the admission in provenGuard (loss-guard.ts) the proof is believed, and the object below the settle point is patched.
test("what a mutating webhook would take that was installed after the proof stays", { timeout: LONG_MS }, async () => {
  const definition = await stale(0);
  await definition.createObjects("v1", 3, spec);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { alreadyCurrent: 3 } });
  await removeNotes(definition);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
  expect(await noteOf(definition)).toBe(true);
});
