import { beforeEach, expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { keepsNote, removeNotesByPolicy, servesMutatingPolicies } from "#lib/rewrite/testing/webhooks/notes-policy.ts";

// A policy that was in force when a dry run tried all objects, hasn't been edited since, and takes a field only from the rewrite.
// Without the empty admission that mayBelieve (loss-guard.ts) asks for, the dry run is believed: the notes are gone, and the run ends
// proven.

const bench = await openTestBench();
const { cluster, api, stale, dryRun, rewrite } = bench;

const OBJECTS = 3;
const spec = () => ({ note: "precious" });
const nothingFound = { losses: [], lossesKnown: true, dryRun: { checked: OBJECTS } };
const leftAlone = { phase: "unproven", counts: { rewritten: 0, rejected: OBJECTS }, rejections: [{ reason: "WouldLose" }] };

beforeEach(async ({ skip }) => skip(!(await servesMutatingPolicies(api)), "Up to Kubernetes 1.35, there are no such policies at v1."));

const notes = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;

test("from another person's updates than those of whoever made the dry run", async () => {
  const definition = await stale(OBJECTS, { spec });
  const bob = await someone(definition);
  await takesNotesOf(bob, definition);
  expect(await dryRun(definition)).toMatchObject(nothingFound);
  expect(await bob.bench.rewrite(definition)).toMatchObject(leftAlone);
  expect(await notes(definition)).toBe(OBJECTS);
});

test("from the updates of whoever resumes the run", async () => {
  const definition = await stale(OBJECTS, { spec });
  const bob = await someone(definition);
  await takesNotesOf(bob, definition);
  expect(await dryRun(definition)).toMatchObject(nothingFound);
  const { id } = await bench.start(definition, { maxPerSecond: 1 });
  await stopAllRuns();
  const before = await notes(definition);
  expect(before).toBe(OBJECTS);
  await resumeRewrite(bob.bench.connection, definition.name, id, { settleSeconds: 0, signal: soon() });
  expect(await bob.bench.endOf(definition, id)).toMatchObject({ phase: "unproven", rejections: [{ reason: "WouldLose" }] });
  expect(await notes(definition)).toBe(before);
});

test("because of its parameter", async () => {
  const definition = await stale(OBJECTS, { spec });
  const configMaps = "/api/v1/namespaces/default/configmaps";
  const { name } = definition;
  await api.create(configMaps, { metadata: { name }, data: { take: "yes" } });
  onTestFinished(async () => void (await api.delete(`${configMaps}/${name}`)));
  await removeNotesByPolicy(api, definition, {
    spec: { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
    binding: { paramRef: { name, namespace: "default", parameterNotFoundAction: "Deny" } },
    when: `params.data.take == "yes"`,
  });
  await inForce(definition);
  await changesItsMind(definition, (take) => api.mergePatch(`${configMaps}/${name}`, { data: { take: take ? "yes" : "no" } }));
});

test("because of a label of the namespace", async () => {
  const definition = await stale(OBJECTS, { spec });
  const label = "notes.example.com/taken";
  const labelled = (taken: boolean) =>
    api.mergePatch("/api/v1/namespaces/default", { metadata: { labels: { [label]: taken ? "yes" : null } } });
  onTestFinished(async () => void (await labelled(false)));
  await labelled(true);
  await removeNotesByPolicy(api, definition, { matching: { namespaceSelector: { matchLabels: { [label]: "yes" } } } });
  await inForce(definition);
  await changesItsMind(definition, labelled);
});

/** A dry run while the policy takes nothing, then a rewrite while it takes the notes. */
async function changesItsMind(definition: SampleDefinition, takes: (notes: boolean) => Promise<unknown>): Promise<void> {
  await takes(false);
  await expect.poll(() => keepsNote(api, definition), { timeout: 30_000 }).toBe(true);
  expect(await dryRun(definition)).toMatchObject(nothingFound);
  await takes(true);
  await inForce(definition);
  expect(await rewrite(definition)).toMatchObject(leftAlone);
  expect(await notes(definition)).toBe(OBJECTS);
}

const inForce = (definition: SampleDefinition) =>
  expect.poll(() => keepsNote(api, definition), { timeout: 30_000, interval: 300 }).toBe(false);

interface Someone {
  name: string;
  bench: TestBench;
}

/** Another person who may rewrite the definition. */
async function someone({ group, plural }: SampleDefinition): Promise<Someone> {
  const { name, token } = await restrictedUser(api, [
    {
      apiGroups: ["apiextensions.k8s.io"],
      resources: ["customresourcedefinitions", "customresourcedefinitions/status"],
      verbs: ["get", "list", "watch", "patch"],
    },
    { apiGroups: [group], resources: [plural], verbs: ["get", "list", "patch"] },
    { apiGroups: ["admissionregistration.k8s.io"], resources: ["*"], verbs: ["get", "list"] },
  ]);
  const connection = await connect(cluster.context, { kind: "bearer", token });
  onTestFinished(() => fleetOf(connection).stop());
  return { name, bench: benchOn(cluster, api, connection) };
}

/** A policy that takes notes from this person's updates only, in force when this returns: the person's own dry run shows it. */
async function takesNotesOf({ name, bench: theirs }: Someone, definition: SampleDefinition): Promise<void> {
  await removeNotesByPolicy(api, definition, {
    spec: { matchConditions: [{ name: "writer", expression: `request.userInfo.username == "${name}"` }] },
  });
  const found = async () => (await theirs.dryRun(definition)).losses.map(({ path }) => path);
  await expect.poll(found, { timeout: 60_000, interval: 500 }).toContain("spec.note");
}
