import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { resumeRewrite } from "#lib/rewrite/commands/resume-rewrite.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { removeNotesByPolicy, servesMutatingPolicies } from "#lib/rewrite/testing/webhooks/notes-policy.ts";

// One loss is listed, and others are unknown. Without unseen as a consent of its own (accept-losses.ts), whoever accepts the listed one
// turns every guard off: fields that nobody was shown are gone from etcd, and the run ends proven.

const string = { type: "string" };
const properties = { size: { type: "integer" }, note: string };
const old: SampleVersion = { name: "v1beta1", properties: { ...properties, colour: string, later: string } };
const current: SampleVersion = { name: "v1", properties };
const listed = [{ kind: "dropped", path: "spec.colour", objects: 1, examples: expect.anything() }];

/** Objects stored as v1beta1: red, whose colour would be dropped, and big, whose losses are unknown to tryUnread. */
async function withBig(bench: FaultBench, spec: object): Promise<SampleDefinition> {
  const definition = await bench.define([{ ...old, storage: true }, current]);
  await create(bench, definition, "v1beta1", "red", { size: 1, colour: "red", note: "kept" });
  await create(bench, definition, "v1beta1", "big", { size: 9, note: "kept", ...spec });
  await bench.flip(definition, [old, { ...current, storage: true }]);
  return definition;
}

/** A dry run that can't read big at v1beta1, as the check right before its write can. */
async function tryUnread({ dryRun, proxy }: FaultBench, definition: SampleDefinition): Promise<DryRun> {
  const isBigThere: Match = ({ method, path }) => method === "GET" && path.startsWith(definition.path("v1beta1", { name: "big" }));
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "BadRequest", message: "It can't be read.", code: 400 };
  const answer = { kind: "answer", status: 400, headers: { "content-type": "application/json" }, body: JSON.stringify(status) } as const;
  const unread = proxy.inject(isBigThere, answer, Number.POSITIVE_INFINITY);
  const tried = await dryRun(definition);
  unread.stop();
  expect(unread.hits()).toBeGreaterThan(0);
  return tried;
}

function create({ api }: TestBench, definition: SampleDefinition, version: string, name: string, spec: object) {
  const apiVersion = `${definition.group}/${version}`;
  return api.create(definition.path(version, { name: "" }), { apiVersion, kind: "Widget", metadata: { name }, spec });
}

const stored = async ({ cluster }: TestBench, definition: SampleDefinition, name: string) =>
  (await definition.storedValues(cluster.etcd)).get(name)?.text ?? "";

faultTest(
  "accepting a listed loss checks each object whose losses are unknown, and leaves one alone that would lose more",
  async (bench) => {
    const definition = await withBig(bench, { later: "precious" });
    const tried = await tryUnread(bench, definition);
    expect(tried).toMatchObject({ lossesKnown: false, lossesUnknownBecause: expect.stringContaining("big"), losses: listed });
    const run = await bench.rewrite(definition, { acceptLosses: true, dryRun: tried.id });
    expect(await stored(bench, definition, "big")).toContain("precious");
    expect(run).toMatchObject({
      ...{ phase: "unproven", counts: { rewritten: 1, rejected: 1 }, acceptedLosses: { losses: [{ path: "spec.colour" }], unseen: false } },
      rejections: [{ reason: "WouldLose", message: expect.stringContaining("spec.later"), examples: [{ name: "big" }] }],
    });
    expect((await readDetail(bench.connection, definition.name, soon())).proof).toBeNull();
    // Its own word, and then it goes: the proof says so.
    const unseen = await bench.rewrite(definition, { acceptLosses: true, acceptUnseen: true });
    expect(unseen).toMatchObject({ phase: "succeeded", acceptedLosses: { unseen: true } });
    expect(await stored(bench, definition, "big")).not.toContain("precious");
  },
);

faultTest("an object whose losses were unknown is rewritten if it would lose nothing but what was accepted", async (bench) => {
  const definition = await withBig(bench, {});
  const { id } = await tryUnread(bench, definition);
  expect(await bench.rewrite(definition, { acceptLosses: true, dryRun: id })).toMatchObject({
    ...{ phase: "succeeded", counts: { rewritten: 2, rejected: 0 }, acceptedLosses: { unseen: false } },
  });
  expect(await bench.storedAs(definition)).toEqual({ v1: 2 });
});

faultTest("a refused start names the listed losses and what is unknown, and needs the consent to each", async (bench) => {
  const definition = await withBig(bench, { later: "precious" });
  const { id, lossesUnknownBecause } = await tryUnread(bench, definition);
  const refusal = {
    ...{ code: "precondition_failed", details: { losses: listed, dryRun: id, unknownBecause: lossesUnknownBecause } },
    message: expect.stringMatching(/spec\.colour would be dropped in 1 object\..* what else would be lost\. .*big/),
  };
  await expect(bench.start(definition)).rejects.toMatchObject(refusal);
  await expect(bench.start(definition, { acceptUnseen: true, dryRun: id })).rejects.toMatchObject(refusal);
  expect(await bench.rewrite(definition, { acceptLosses: true, acceptUnseen: true, dryRun: id })).toMatchObject({
    ...{ phase: "succeeded", acceptedLosses: { losses: [{ path: "spec.colour" }], unseen: true } },
  });
});

faultTest("accepting a listed loss is not enough while objects may be stored in a version that is not served", async (bench) => {
  const oldest: SampleVersion = { name: "v1alpha1", properties: { ...properties, secret: string } };
  const definition = await bench.define([{ ...oldest, storage: true }, old, current]);
  await create(bench, definition, "v1alpha1", "alpha", { size: 1, secret: "precious" });
  await bench.flip(definition, [oldest, { ...old, storage: true }, current]);
  await create(bench, definition, "v1beta1", "beta", { size: 2, colour: "red" });
  await bench.flip(definition, [{ ...oldest, served: false }, old, { ...current, storage: true }]);
  const { id, losses } = await bench.dryRun(definition);
  expect(losses).toEqual(listed);
  const unserved = { code: "precondition_failed", message: expect.stringContaining("v1alpha1 is not served"), details: { losses: [] } };
  await expect(bench.start(definition, { acceptLosses: true, dryRun: id })).rejects.toMatchObject(unserved);
  expect(await bench.storedAs(definition)).toEqual({ v1alpha1: 1, v1beta1: 1 });
  expect(await bench.rewrite(definition, { acceptLosses: true, acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
});

faultTest("accepting a listed loss keeps the watch over admission on, also where other losses are unknown", async (bench) => {
  if (!(await servesMutatingPolicies(bench.api))) return void (await bench.stale(1));
  const definition = await withBig(bench, {});
  const { id } = await tryUnread(bench, definition);
  await removeNotesByPolicy(bench.api, definition);
  const note = async () =>
    ((await bench.api.mergePatch(`${definition.path("v1", { name: "red" })}?dryRun=All`, {})) as { spec: object }).spec;
  await expect.poll(note, { timeout: 30_000 }).not.toHaveProperty("note");
  const run = await bench.rewrite(definition, { acceptLosses: true, dryRun: id });
  for (const name of ["red", "big"]) expect(await stored(bench, definition, name)).toContain("kept");
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 0, rejected: 2 } });
  expect(run.rejections.every(({ reason }) => reason === "WouldLose")).toBe(true);
});

// That engine checks no object before it writes.
faultTest("accepting a listed loss delegates nothing while other losses are unknown", async (bench) => {
  const isServed = await bench.api.get("/apis/storagemigration.k8s.io/v1").then(
    () => true,
    () => false,
  );
  if (!isServed) return void (await bench.stale(1));
  const definition = await withBig(bench, { later: "precious" });
  const { id } = await tryUnread(bench, definition);
  await expect(bench.start(definition, { engine: "in-tree", acceptLosses: true, dryRun: id })).rejects.toMatchObject({
    ...{ code: "precondition_failed", message: expect.stringContaining("what else would be lost"), details: { losses: [] } },
  });
  expect(await stored(bench, definition, "big")).toContain("precious");
});

// A run whose acceptance came before any dry run: it was one of unseen losses, until somebody accepts a list in its place.
faultTest("a run that resumes with the listed losses accepted is guarded like one that starts so", async (bench) => {
  const definition = await withBig(bench, { later: "precious" });
  const { id, acceptedLosses } = await bench.start(definition, { acceptUnseen: true, maxPerSecond: 1 });
  expect(acceptedLosses).toMatchObject({ losses: [], unseen: true });
  await stopAllRuns();
  expect(await stored(bench, definition, "big")).toContain("precious");
  const tried = await tryUnread(bench, definition);
  const resume = (dryRun: string) =>
    resumeRewrite(bench.connection, definition.name, id, { acceptLosses: true, dryRun, settleSeconds: 0, signal: soon() });
  await expect(resume("another")).rejects.toMatchObject({ code: "precondition_failed", details: { dryRun: tried.id } });
  await resume(tried.id);
  expect(await bench.endOf(definition, id)).toMatchObject({
    ...{ phase: "unproven", acceptedLosses: { losses: [{ path: "spec.colour" }], unseen: false } },
    rejections: [{ reason: "WouldLose", examples: [{ name: "big" }] }],
  });
  expect(await stored(bench, definition, "big")).toContain("precious");
});

// Without mayLeaveOutLosses (accept-losses.ts) the resumed run takes the dry run's 41st path for accepted, and deletes the field, proven.
faultTest("a newer dry run that finds more losses than there is room to record holds a resumed run back", async (bench) => {
  const before = Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`a${index}`, string]));
  const widget = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, ...before } },
  ];
  const definition = await bench.define(widget("v1beta1"));
  const listable = Object.fromEntries(
    Object.keys(before)
      .slice(0, 40)
      .map((name) => [name, "x"]),
  );
  for (const name of ["one", "two", "three"]) await create(bench, definition, "v1beta1", name, listable);
  await create(bench, definition, "v1beta1", "last", { a40: "precious" });
  await bench.flip(definition, widget("v1"));
  const seesLast = ({ losses }: DryRun) => losses.some(({ path }) => path === "spec.a40");
  let tried = await bench.dryRun(definition, { sampleSize: 2 });
  while (seesLast(tried)) tried = await bench.dryRun(definition, { sampleSize: 2 });
  expect(tried.moreLosses).toBe(0);
  const { id } = await bench.start(definition, { acceptLosses: true, dryRun: tried.id, maxPerSecond: 1 });
  await stopAllRuns();
  const newer = await bench.dryRun(definition);
  const resume = (more: object) => resumeRewrite(bench.connection, definition.name, id, { settleSeconds: 0, signal: soon(), ...more });
  await expect(resume({})).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("1 more path than there is room to record"),
  });
  expect(await stored(bench, definition, "last")).toContain("precious");
  await resume({ acceptLosses: true, dryRun: newer.id });
  expect(await bench.endOf(definition, id)).toMatchObject({ phase: "succeeded", acceptedLosses: { dryRun: newer.id, more: 1 } });
});
