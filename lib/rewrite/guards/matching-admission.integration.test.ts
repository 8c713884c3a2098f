import { expect, test } from "vitest";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { keepsNote, removeNotesByPolicy, servesMutatingPolicies } from "#lib/rewrite/testing/webhooks/notes-policy.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

// Admission that takes a field, installed after what a rewrite relies on, and matched as the API server does.

const bench = await openTestBench();
const { cluster, api, define, flip, stale, dryRun, rewrite } = bench;

const spec = () => ({ note: "precious" });

const notes = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;

// Without matchesResource (admission.ts) all notes are gone, and the run ends proven.
test("a webhook on the resource and all below it, installed after the dry run, takes nothing", async () => {
  const definition = await stale(3, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  await removeNotes(api, definition, { resources: [`${definition.plural}/*`] });
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 3 }, rejections: [{ reason: "WouldLose" }] });
  expect(await notes(definition)).toBe(3);
});

// Without matchesResource (admission.ts) the proof is believed, and the object below the settle point is patched.
test("nor does it if it was installed after the proof", async () => {
  const definition = await stale(0);
  await definition.createObjects("v1", 3, spec);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await removeNotes(api, definition, { resources: [`${definition.plural}/*`] });
  await rewrite(definition);
  expect(await notes(definition)).toBe(3);
});

// Without the names of an exclusion (excludesAll in admission.ts) one excluded object hides the policy, and the other notes are gone.
test("a policy that excludes one object by name, installed after the dry run, takes nothing", async ({ skip }) => {
  skip(!(await servesMutatingPolicies(api)), "Up to Kubernetes 1.35, the API server doesn't serve these policies at v1.");
  const definition = await stale(4, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true });
  const last = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] };
  const excludeResourceRules = [{ ...last, resourceNames: [objectName(3)] }];
  await removeNotesByPolicy(api, definition, { matching: { excludeResourceRules } });
  await expect.poll(() => keepsNote(api, definition), { timeout: 30_000 }).toBe(false);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 1, rejected: 3 } });
  expect(await notes(definition)).toBe(4);
});

// Without throughStatus in mustCheck (write-in-turn.ts) the dry run, which tried the main resource, is believed: the notes are gone.
test("a webhook on the status takes nothing from a rewrite through the status", async () => {
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
