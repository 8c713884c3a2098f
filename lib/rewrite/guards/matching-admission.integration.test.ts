import { expect, onTestFinished, test } from "vitest";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/deny-updates.ts";
import { removeNotes } from "#lib/rewrite/testing/remove-notes.ts";
import { testCluster } from "#lib/rewrite/testing/test-cluster.ts";

// Admission that takes a field, installed after what a rewrite relies on, and matched as the API server does.

const bench = await testCluster();
const { cluster, api, define, flip, stale, dryRun, rewrite } = bench;

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const LONG_MS = 120_000;
const spec = () => ({ note: "precious" });

const notes = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;

// Without matchesResource (matches-updates.ts) all notes are gone, and the run ends proven.
test("a webhook on the resource and all below it, installed after the dry run, takes nothing", { timeout: LONG_MS }, async () => {
  const definition = await stale(3, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  await removeNotes(api, definition, { resources: [`${definition.plural}/*`] });
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 3 }, rejections: [{ reason: "WouldLose" }] });
  expect(await notes(definition)).toBe(3);
});

// Without matchesResource (matches-updates.ts) the proof is believed, and the object below the settle point is patched.
test("nor does it if it was installed after the proof", { timeout: LONG_MS }, async () => {
  const definition = await stale(0);
  await definition.createObjects("v1", 3, spec);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await removeNotes(api, definition, { resources: [`${definition.plural}/*`] });
  await rewrite(definition);
  expect(await notes(definition)).toBe(3);
});

// Without the names of an exclusion (excludesAll in matches-updates.ts) one excluded object hides the policy, and the other notes are gone.
test("a policy that excludes one object by name, installed after the dry run, takes nothing", { timeout: LONG_MS }, async ({ skip }) => {
  const policies = `${ADMISSION}/mutatingadmissionpolicies`;
  const isServed = await api.get(policies).then(
    () => true,
    () => false,
  );
  skip(!isServed, "Up to Kubernetes 1.35, the API server doesn't serve these policies at v1.");
  const definition = await stale(4, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  await removeNotesByPolicy(definition, policies);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 1, rejected: 3 } });
  expect(await notes(definition)).toBe(4);
});

// Without throughStatus in mustCheck (rewrite-objects.ts) the dry run, which tried the main resource, is believed: the notes are gone.
test("a webhook on the status takes nothing from a rewrite through the status", { timeout: LONG_MS }, async () => {
  const versions = (storage: string): SampleVersion[] =>
    ["v1", "v1beta1"].map((name) => ({ name, storage: name === storage, hasStatus: true }));
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", 3, () => ({ frozen: true }));
  for (let index = 0; index < 3; index += 1) {
    await api.mergePatch(`${definition.path("v1beta1", { name: objectName(index) })}/status`, { status: { note: "precious" } });
  }
  await flip(definition, versions("v1"));
  // Before the dry run, which does not see it, so that only the rewrite can.
  await removeNotes(api, definition, { resources: [`${definition.plural}/status`], part: "status" });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  await denyUpdatesOfFrozen(api, definition);
  const run = await rewrite(definition, { throughStatus: true });
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: 3 } });
  const [{ message } = { message: "" }] = run.rejections;
  expect(message).toContain("is frozen");
  expect(message).toContain("Through /status: status.note would be dropped");
  expect(await notes(definition)).toBe(3);
});

/** In force when this returns, for all objects but the last of four. */
async function removeNotesByPolicy(definition: SampleDefinition, policies: string): Promise<void> {
  const metadata = { name: `notes-${definition.group}` };
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] };
  const expression = `has(object.spec.note) ? [JSONPatch{op: "remove", path: "/spec/note"}] : []`;
  await api.create(policies, {
    metadata,
    spec: {
      reinvocationPolicy: "Never",
      matchConstraints: { resourceRules: [rule], excludeResourceRules: [{ ...rule, resourceNames: [objectName(3)] }] },
      mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }],
    },
  });
  onTestFinished(async () => void (await api.delete(`${policies}/${metadata.name}`)));
  const bindings = `${ADMISSION}/mutatingadmissionpolicybindings`;
  await api.create(bindings, { metadata, spec: { policyName: metadata.name } });
  onTestFinished(async () => void (await api.delete(`${bindings}/${metadata.name}`)));
  const path = `${definition.path("v1", { name: objectName(0) })}?dryRun=All`;
  const tried = async () => ((await api.mergePatch(path, {})) as { spec?: object }).spec;
  await expect.poll(tried, { timeout: 30_000 }).not.toHaveProperty("note");
}
