import { expect } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { AppError } from "#lib/contract/app-error.ts";
import { nextStep as nextStepOf } from "#lib/domain/definition/next-step.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { type FaultBench, faultTest, past, patchOf, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const OBJECTS = 20;
/** Objects that are done when the patches of the others begin to be held. */
const DONE = 5;
const KIB = 1024;
const NOTES = "example.com/notes";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function annotate({ api }: Pick<FaultBench, "api">, { name }: SampleDefinition, annotations: Record<string, string | null>) {
  return api.mergePatch(`${DEFINITIONS}/${name}`, { metadata: { annotations } });
}

/** Fills the annotations of the definition up to a few bytes. */
async function fillUp(bench: Pick<FaultBench, "api">, definition: SampleDefinition): Promise<void> {
  const { annotations = {} } = (await definition.read()).metadata;
  const taken = Object.entries(annotations).reduce((sum, [name, value]) => sum + name.length + Buffer.byteLength(value), 0);
  await annotate(bench, definition, { [NOTES]: "x".repeat(256 * KIB - taken - NOTES.length - 40) });
}

// Without recordRoomRefusal (record-room.ts) the run begins, and may be unable to record its proof.
faultTest("annotations of 250 KiB: a run is refused, with the largest one named", async (bench) => {
  const { stale, start, rewrite } = bench;
  const definition = await stale(OBJECTS);
  await annotate(bench, definition, { [NOTES]: "x".repeat(50 * KIB), [LAST_APPLIED]: "x".repeat(200 * KIB) });
  await expect(start(definition, { acceptUnseen: true })).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining(`The largest is ${LAST_APPLIED} with 201 KiB.`),
    nextStep: expect.stringContaining("--server-side"),
  });
  await annotate(bench, definition, { [LAST_APPLIED]: null });
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
});

// Without recordRoomRefusal in pruneRefusal (refusals.ts) the prune is offered, and fails with a bare answer of the API server.
faultTest("annotations that are full: a prune is refused like a rewrite, and not the next step", async (bench) => {
  const { connection, stale, start, rewrite } = bench;
  const definition = await stale(OBJECTS);
  await rewrite(definition, { acceptUnseen: true });
  await fillUp(bench, definition);
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).actions.rewrite.refusal).not.toBeNull();
  const detail = await readDetail(connection, definition.name, soon());
  const refused = await start(definition, { acceptUnseen: true }).catch((error: AppError) => error);
  expect(refused).toMatchObject({ code: "precondition_failed", nextStep: expect.stringContaining(`${NOTES}-`) });
  const { code, message, nextStep } = refused as AppError;
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code,
    message,
    nextStep,
  });
  expect(detail).toMatchObject({ state: "prunable", actions: { prune: { refusal: `${message} ${nextStep}` } } });
  expect(nextStepOf(detail)).toEqual({ step: "solve", refusal: `${message} ${nextStep}` });

  await annotate(bench, definition, { [NOTES]: null });
  expect((await pruneStoredVersions(connection, definition.name, definition.name, soon())).storedVersions).toEqual(["v1"]);
});

// Without lacksRoom in update-record.ts the refusal doesn't say what to remove.
faultTest("annotations that fill up while a prune begins: the refusal names the largest", async (bench) => {
  const { connection, proxy, stale, rewrite } = bench;
  const definition = await stale(1);
  await rewrite(definition, { acceptUnseen: true });
  const fields = [{ field: "metadata.annotations", message: "Too long: may not be more than 262144 bytes" }];
  // The API server's own answer to a record that doesn't fit beside annotations that a webhook added to the same write.
  const body = JSON.stringify({
    kind: "Status",
    status: "Failure",
    code: 422,
    reason: "Invalid",
    message: "Too long",
    details: { causes: fields },
  });
  await annotate(bench, definition, { [NOTES]: "x".repeat(230 * KIB) });
  proxy.inject(recordOf(definition), { kind: "answer", status: 422, body });
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining(`The largest is ${NOTES} with 231 KiB.`),
    nextStep: expect.stringContaining(`kubectl annotate customresourcedefinition ${definition.name} ${NOTES}-`),
  });
});

// Without whyUnrecorded (start-dry-run.ts) only the log says so.
faultTest("annotations that are full: a dry run says that its findings aren't recorded", async (bench) => {
  const { connection, stale } = bench;
  const definition = await stale(OBJECTS);
  await fillUp(bench, definition);
  const { id } = await startDryRun(connection, definition.name, { signal: AbortSignal.timeout(30_000) });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  await expect.poll(() => now().phase, { timeout: 60_000 }).toBe("succeeded");
  expect(now()).toMatchObject({ message: expect.stringMatching(/couldn't be recorded.*256 KiB/), dryRun: { wouldPass: OBJECTS } });
  expect((await definition.read()).metadata.annotations).not.toHaveProperty("crdshift.dev/rewrite");
});

// Without lacksRoomForAnnotations in classify-failure.ts the proof of the run is lost.
faultTest("annotations that fill up mid-run: the run shows why it can't be recorded, and ends proven once there is room", async (bench) => {
  const { stale, start, run, endOf, proxy, storedAs } = bench;
  const definition = await stale(OBJECTS);
  const patches = proxy.hold(past(DONE, patchOf(definition)), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { acceptUnseen: true });
  await patches.reached;
  await fillUp(bench, definition);
  patches.release();
  const because = async () => (await run(definition, id)).statusReason ?? "";
  await expect
    .poll(because, { timeout: 60_000 })
    .toMatch(/can't (yet record how the rewrite ended|be renewed).*metadata\.annotations: Too long/);
  await expect.poll(() => storedAs(definition)).toEqual({ v1: OBJECTS });
  expect(await readRecord(definition)).toMatchObject({ proof: null, runs: [{ id, endedAt: null }] });
  await annotate(bench, definition, { [NOTES]: null });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 } });
  expect(await readRecord(definition)).toMatchObject({ proof: { runId: id, objects: OBJECTS } });
});

// Without listableLosses (dry-run-record.ts) and the cuts in record-text.ts the run has no room to record its proof, and ends without one.
faultTest("annotations of 240 KiB and the longest names of dropped fields: a run that may start can record its proof", async (bench) => {
  const { define, flip, dryRun, rewrite, storedAs } = bench;
  const names = Array.from({ length: 38 }, (_, index) => `f${String(index).padStart(2, "0")}${"x".repeat(197)}`);
  const size = { type: "integer" };
  const dropped = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  const [v1, v1beta1] = [
    { name: "v1", properties: { size } },
    { name: "v1beta1", properties: { size, ...dropped } },
  ];
  const definition = await define([v1, { ...v1beta1, storage: true }]);
  await definition.createObjects("v1beta1", 3, () => Object.fromEntries(names.map((name) => [name, "1"])));
  await flip(definition, [{ ...v1, storage: true }, v1beta1]);
  const room = (256 - 16) * KIB - "crdshift.dev/rewrite".length;
  await annotate(bench, definition, { [NOTES]: "x".repeat(room - NOTES.length - 400) });
  const { id } = await dryRun(definition);
  expect(await rewrite(definition, { acceptLosses: true, dryRun: id })).toMatchObject({ phase: "succeeded", counts: { rewritten: 3 } });
  const { proof, runs } = await readRecord(definition);
  const { losses = [], more = 0 } = proof?.acceptedLosses ?? {};
  expect([losses.length + more, proof?.runId]).toEqual([38, runs[0]?.id]);
  expect(losses.length).toBeGreaterThan(10);
  expect(Buffer.byteLength((await definition.read()).metadata.annotations?.["crdshift.dev/rewrite"] ?? "")).toBeLessThan(16 * KIB);
  expect(await storedAs(definition)).toEqual({ v1: 3 });
});
