import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { listObjects, type ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type CleanedObject, cleanObject } from "#lib/rewrite/managed-fields/clean-object.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { type FaultBench, patchOf, underFaults } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { gone, NAME, ownersOf, v1, v1beta1 } from "#lib/rewrite/testing/bench/owned-list.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// On the newest release, a rewrite's first write takes no list from its owner.
const { cluster } = await openTestBench(olderRelease);
const faultTest = (name: string, body: (bench: FaultBench) => Promise<void>) => test(name, () => underFaults(cluster, body));

/** An object whose list `gitops` has applied at a version that is gone by now. It is stored at v1beta1. */
async function stored({ define, apply, flip }: FaultBench): Promise<SampleDefinition> {
  const definition = await define([gone, { ...v1beta1, storage: true }, v1]);
  await apply(definition, gone.name, NAME, "gitops", { size: "large", ports: [{ name: "http", port: 80 }] });
  await flip(definition, [v1beta1, { ...v1, storage: true }]);
  return definition;
}

/** Holds the write of managedFields by which the cleaning or rewrite gives back what its write before has taken. */
function heldAsItGivesBack({ proxy }: FaultBench, definition: SampleDefinition) {
  const isPatch = patchOf(definition, NAME);
  const writes: Match = (request) => isPatch(request) && request.body.includes("managedFields") && !request.path.includes("dryRun");
  return proxy.hold((request) => writes(request) && proxy.seen.filter(writes).length === 2, "before", 1);
}

/** The object as another crdshift lists it now, and a cleaning of it there. */
async function elsewhere({ connection }: FaultBench, definition: SampleDefinition): Promise<() => Promise<CleanedObject>> {
  const { crd } = await readCrd(connection, definition.name, soon());
  const { objects } = await listObjects(connection, crd, { version: "v1", limit: 10, signal: soon() });
  const object: ObjectMetadata = objects[0] ?? expect.fail("nothing is listed");
  const [gate, signal] = [createGate(), soon()];
  const cleaning = { connection, crd, version: "v1", versions: [gone.name], dryRun: false, gate, pacer: createPacer(null) };
  return () => cleanObject({ ...cleaning, signal, lasting: signal }, object, () => {});
}

async function clean({ connection }: FaultBench, definition: SampleDefinition): Promise<void> {
  const { crd } = await readCrd(connection, definition.name, soon());
  const states = await Array.fromAsync(cleanManagedFields(connection, crd, { versions: [gone.name] }, soon()));
  expect(states.at(-1)).toMatchObject({ complete: true, cleaned: 1, rejected: 0 });
}

async function rewrite(bench: FaultBench, definition: SampleDefinition): Promise<void> {
  expect(await bench.rewrite(definition, { keepOwnership: true })).toMatchObject({ phase: "succeeded", ownership: { lost: 0 } });
}

// Without withTaken (change-managed-fields.ts), which disown (keep-ownership.ts) needs as well, nobody owns the list.
for (const [what, work] of [["cleaning", clean] as const, ["rewrite", rewrite] as const]) {
  faultTest(`the owner of a list gets it back from a ${what} whose entry another crdshift has removed meanwhile`, async (bench) => {
    const definition = await stored(bench);
    const held = heldAsItGivesBack(bench, definition);
    const ended = work(bench, definition);
    await held.reached;
    expect(await (await elsewhere(bench, definition))()).toMatchObject({ kind: "takenBack" });
    expect(await ownersOf(bench, definition)).toEqual(["gitops v1 f:size"]);
    held.release();
    await ended;
    expect(await ownersOf(bench, definition)).toEqual(["gitops v1 f:ports,f:size"]);
  });
}

// Without isUnderWay (clean-object.ts) it removes the entry of the write under way.
faultTest("a cleaning waits for the end of another's write, and rejects the object if that takes too long", async (bench) => {
  const definition = await stored(bench);
  const held = heldAsItGivesBack(bench, definition);
  const [first, second] = [await elsewhere(bench, definition), await elsewhere(bench, definition)];
  const ended = clean(bench, definition);
  await held.reached;
  expect(await first()).toMatchObject({ kind: "rejected", reason: "Conflict", message: expect.stringContaining("left unchanged") });
  const waiting = second();
  held.release();
  await ended;
  expect(await waiting).toEqual({ kind: "untouched" });
  expect(await ownersOf(bench, definition)).toEqual(["gitops v1 f:ports,f:size"]);
});

// With the signal looked at before each write (clean-objects.ts), an abort beside the dry run of the second write keeps that from being sent.
faultTest("a cleaning whose reader leaves before its second write still gives back what it has taken", async (bench) => {
  const definition = await stored(bench);
  const isPatch = patchOf(definition, NAME);
  const tries: Match = (request) => request.method === "PATCH" && request.path.includes(NAME) && request.path.includes("dryRun");
  const written = () => bench.proxy.seen.some((request) => isPatch(request) && request.body.includes("managedFields"));
  const held = bench.proxy.hold((request) => tries(request) && request.body.includes("managedFields") && written(), "before", 1);
  const left = new AbortController();
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const cleaning = Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: [gone.name] }, left.signal)).catch(() => null);
  await held.reached;
  expect(await ownersOf(bench, definition)).not.toEqual(["gitops v1 f:ports,f:size"]);
  left.abort(new Error("the reader left"));
  held.release();
  await cleaning;
  await expect.poll(() => ownersOf(bench, definition)).toEqual(["gitops v1 f:ports,f:size"]);
});

// Aborted as failed, its second write isn't sent any more, and whoever lists the object then takes crdshift's entry for one that was left.
faultTest("a cleaning that makes way for another crdshift's rewrite still gives back what it has taken", async (bench) => {
  const definition = await stored(bench);
  const held = heldAsItGivesBack(bench, definition);
  const ended = clean(bench, definition).catch((error: unknown) => error);
  await held.reached;
  const run = { ...sampleRun({ phase: "rewriting", renewedAt: new Date().toISOString() }), crd: definition.name };
  await writeRecord(bench.api, definition, { ...sampleRecord({ runs: [run] }), holder: "another" });
  await expect
    .poll(() => fleetOf(bench.connection).crd(definition.name)?.record, { interval: 5 })
    .toMatchObject({ runs: [{ id: run.id }] });
  held.release();
  expect(await ended).toMatchObject({ message: expect.stringContaining("A rewrite of its objects began meanwhile.") });
  expect(await ownersOf(bench, definition)).toEqual(["gitops v1 f:ports,f:size"]);
});
