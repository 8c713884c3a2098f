import { beforeEach, expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { keepsNote, removeNotesByPolicy, servesMutatingPolicies } from "#lib/rewrite/testing/webhooks/notes-policy.ts";
import { mutatingWebhook, reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

// A policy that takes a field, though not with a patch that changes nothing: the dry run and the check of such a patch don't show it.

const { cluster, api, connection, define, flip, apply, rewrite } = await openTestBench();
const OBJECTS = 4;

beforeEach(async ({ skip }) => skip(!(await servesMutatingPolicies(api)), "This release serves no mutating policies."));

const notesOf = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;

/** Their managedFields name a version that is gone. */
async function withGoneEntries(): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < OBJECTS; index += 1) {
    await apply(definition, "v1alpha1", objectName(index), "owner", { size: index, note: "precious" });
  }
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  return definition;
}

/** The policy, once it is in force for such an object. */
async function removeNotes(definition: SampleDefinition, when: string, version = "v1"): Promise<void> {
  await removeNotesByPolicy(api, definition, { when });
  const probe = { apiVersion: `${definition.group}/${version}`, kind: "Widget", metadata: { name: "probe" }, spec: { size: 1, note: "x" } };
  const path = definition.path(version, { name: "probe" });
  await api.create(definition.path(version, { name: "" }), probe);
  const answers = async () => {
    const { spec } = (await api.mergePatch(`${path}?dryRun=All&fieldManager=other`, { spec: { size: 2 } })) as { spec?: object };
    return spec !== undefined && "note" in spec;
  };
  await expect.poll(answers, { timeout: 30_000 }).toBe(false);
  await api.delete(path);
}

const SKIPS_NO_OPS = "object != oldObject";
const namesCrdshift = (of: string) => `${of}.metadata.managedFields.exists(m, m.manager == "crdshift")`;
const WHEN_TAKEN_BACK = `((${namesCrdshift("oldObject")} && !${namesCrdshift("object")}) || object.metadata.name == "probe")`;

// Without lostByChange (keep-ownership.ts) each note is gone from etcd, and the run succeeds and tells no loss.
test("entries of stale objects are not carried over, and no field is lost", async () => {
  const definition = await withGoneEntries();
  await removeNotes(definition, SKIPS_NO_OPS);
  const run = await rewrite(definition, { keepOwnership: true });
  expect(run.counts.rewritten + run.counts.rejected).toBe(OBJECTS);
  expect(await notesOf(definition)).toBe(OBJECTS);
});

test("nor are those of objects that are proven current, which stay current", async () => {
  const definition = await withGoneEntries();
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await removeNotes(definition, SKIPS_NO_OPS);
  const run = await rewrite(definition, { keepOwnership: true, verify: "every-object" });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rejected: 0 }, ownership: { kept: 0, lost: 0 } });
  expect(run.statusReason).toContain("a webhook or policy would change other fields with the write that carries them over");
  expect(await notesOf(definition)).toBe(OBJECTS);
});

// Without lostByChange (disown in keep-ownership.ts) the write that takes back crdshift's entry takes the note, too.
test("crdshift's entry for a stored default stays where taking it back would cost a field", async () => {
  const typed = (mode: object) => ({ size: { type: "integer" }, note: { type: "string" }, mode: { type: "string", ...mode } });
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: typed({ default: "fast" }) },
    { name: "v1beta1", storage: storage === "v1beta1", properties: typed({}) },
  ];
  const definition = await define(versions("v1beta1"));
  for (let index = 0; index < OBJECTS; index += 1) {
    await apply(definition, "v1beta1", objectName(index), "owner", { size: index, note: "precious" });
  }
  await flip(definition, versions("v1"));
  await removeNotes(definition, WHEN_TAKEN_BACK);
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
  expect(run.statusReason).toContain("still name crdshift in managedFields");
  expect(await notesOf(definition)).toBe(OBJECTS);
});

// Without lostByChange (clean-object.ts) the first dozen lose the note before the cleaning stops.
test("cleaning leaves objects alone that would lose a field, and names it", async () => {
  const definition = await withGoneEntries();
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await removeNotes(definition, SKIPS_NO_OPS);
  const { crd } = await readCrd(connection, definition.name, soon());
  const [end] = (await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon()))).reverse();
  expect(end).toMatchObject({ complete: true, cleaned: 0, rejected: OBJECTS });
  expect(JSON.stringify(end)).toContain("spec.note would be dropped, because a webhook or policy changes the object");
  expect(await notesOf(definition)).toBe(OBJECTS);
});

// Without the dry run of the last write (change-managed-fields.ts) each note is gone once the entries are clean.
test("nor does cleaning take crdshift's own entry back at that cost", async () => {
  const definition = await withGoneEntries();
  const properties = { size: { type: "integer" }, note: { type: "string" }, mode: { type: "string", default: "fast" } };
  await flip(definition, [{ name: "v1", storage: true, properties }, { name: "v1beta1" }]);
  await removeNotes(definition, WHEN_TAKEN_BACK);
  const { crd } = await readCrd(connection, definition.name, soon());
  const [end] = (await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon()))).reverse();
  expect(end).toMatchObject({ complete: true, cleaned: OBJECTS, warning: expect.stringContaining("still name crdshift in managedFields") });
  expect(await notesOf(definition)).toBe(OBJECTS);
});

// Without altered (change-managed-fields.ts), which sees what raises no generation, each label is gone, and nothing tells it.
test("neither carrying over nor cleaning costs a label", async () => {
  const definition = await withGoneEntries();
  for (let index = 0; index < OBJECTS; index += 1) {
    await api.mergePatch(`${definition.path("v1", { name: objectName(index) })}?fieldManager=labeller`, {
      metadata: { labels: { team: "a" } },
    });
  }
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const labels = async () => {
    const { items } = (await api.get(definition.path("v1", { name: "" }))) as { items: { metadata: { name: string; labels?: object } }[] };
    return items.map(({ metadata }) => metadata.labels);
  };
  const all = Array(OBJECTS).fill({ team: "a" });
  expect(await labels()).toEqual(all);
  await removeNotesByPolicy(api, definition, { when: SKIPS_NO_OPS, takes: { field: "metadata.labels", pointer: "/metadata/labels" } });
  const change = { metadata: { annotations: { probe: "" } } };
  const probed = async () => {
    const path = `${definition.path("v1", { name: objectName(0) })}?dryRun=All&fieldManager=other`;
    return ((await api.mergePatch(path, change)) as { metadata: { labels?: object } }).metadata.labels;
  };
  await expect.poll(probed, { timeout: 30_000 }).toBeUndefined();

  const run = await rewrite(definition, { keepOwnership: true, verify: "every-object" });
  expect(run).toMatchObject({ phase: "succeeded", ownership: { kept: 0 } });
  const { crd } = await readCrd(connection, definition.name, soon());
  const [end] = (await Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon()))).reverse();
  expect(end).toMatchObject({ complete: true, cleaned: 0, rejected: OBJECTS });
  expect(JSON.stringify(end)).toContain("metadata.labels would be dropped, because a webhook or policy changes the object");
  expect(await labels()).toEqual(all);
});

// Without leftBecause (rewrite-object.ts) one refused object voids the proof of all, and the settle point.
test("objects that are proven current stay so where a policy refuses each write of them, or would take a field", async () => {
  const definition = await withGoneEntries();
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const settlePoint = async () => readableRecord((await readCrd(connection, definition.name, soon())).crd)?.settlePoint;
  const before = await settlePoint();
  await removeNotesByPolicy(api, definition);
  await expect.poll(() => keepsNote(api, definition), { timeout: 30_000 }).toBe(false);
  const run = await rewrite(definition, { keepOwnership: true });
  expect(run).toMatchObject({ phase: "succeeded", counts: { rejected: 0, alreadyCurrent: OBJECTS }, ownership: { kept: 0, lost: 0 } });
  expect(run.statusReason).toContain("the write that carries them over was refused");
  expect(await settlePoint()).toEqual(before);
  expect(await notesOf(definition)).toBe(OBJECTS);
});

// Without unforetold (keep-ownership.ts, clean-object.ts) every object loses its label, and nothing tells it.
test.each(["rewrite", "clean"] as const)("a webhook that spares dry runs, and takes a label, ends the work at once (%s)", async (how) => {
  const many = 30;
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < many; index += 1) {
    await apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
    const labelled = { metadata: { labels: { team: "a" } } };
    await api.mergePatch(`${definition.path("v1", { name: objectName(index) })}?fieldManager=labeller`, labelled);
  }
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  let isOn = false;
  const { clientConfig, calls } = await reviewServer(({ apiVersion, kind, request }, response) => {
    const isSame = JSON.stringify(request.object) === JSON.stringify(request.oldObject);
    const takes = isOn && !request.dryRun && !isSame && request.object?.metadata.labels !== undefined;
    const patch = Buffer.from(JSON.stringify([{ op: "remove", path: "/metadata/labels" }])).toString("base64");
    const allowed = { uid: request.uid, allowed: true, ...(takes && { patchType: "JSONPatch", patch }) };
    sendJson(response, { apiVersion, kind, response: allowed });
  });
  await mutatingWebhook(api, definition, clientConfig);
  const tryOne = () => api.mergePatch(`${definition.path("v1", { name: objectName(0) })}?dryRun=All`, {});
  await expect.poll(async () => tryOne().then(calls), { timeout: 30_000 }).toBeGreaterThan(0);
  isOn = true;
  const { crd } = await readCrd(connection, definition.name, soon());
  const cleaning = () => Array.fromAsync(cleanManagedFields(connection, crd, { versions: ["v1alpha1"] }, soon()));
  if (how === "rewrite") expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "unproven" });
  else
    await expect(cleaning()).rejects.toMatchObject({
      message: expect.stringContaining("although a dry run right before it changed nothing"),
    });
  const { items } = (await api.get(definition.path("v1", { name: "" }))) as { items: { metadata: { labels?: object } }[] };
  expect(items.filter(({ metadata }) => metadata.labels !== undefined).length).toBeGreaterThan(0);
});
