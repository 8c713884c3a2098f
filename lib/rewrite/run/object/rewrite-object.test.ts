import { expect, onTestFinished, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import { withAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import type { Sending } from "#lib/cluster/transport/whole-answer.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { fullGuard } from "#lib/rewrite/guards/loss-guard.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Pass } from "#lib/rewrite/run/pass.ts";
import { createTally } from "#lib/rewrite/run/progress/tally.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { unconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { leftEntries, ownEntries } from "./ownership/left-entries.ts";
import { rewriteObject } from "./rewrite-object.ts";

interface WriteOptions {
  onPatch(purpose: PatchPurpose): void;
  sending: Sending;
}

/** The API server's answers to writes, and those of the checks before them. */
const server = vi.hoisted(() => ({
  write: () => ({}) as object,
  looks: [] as (object | null)[],
  tried: {},
  isConnected: true,
  /** How putting managedFields back ends; null if it is tried. */
  restored: null as "emptied" | null,
}));

vi.mock("#lib/cluster/objects/custom-objects.ts", () => ({
  rewriteObject: async (...[, , , , { onPatch, sending }]: [unknown, unknown, unknown, unknown, WriteOptions]) => {
    onPatch("rewrite");
    if (server.isConnected) sending.begun();
    return server.write();
  },
  dryRunRewrite: async () => server.tried,
  readObjectMetadata: async () => server.tried,
}));
vi.mock("./ownership/restore-ownership.ts", async (original) => {
  const { restoreOwnership } = await original<typeof import("./ownership/restore-ownership.ts")>();
  return { restoreOwnership: async (...given: Parameters<typeof restoreOwnership>) => server.restored ?? restoreOwnership(...given) };
});
vi.mock("#lib/rewrite/guards/loss-refusal.ts", async (original) => ({
  ...(await original<object>()),
  lossRefusal: async () => server.looks.shift() ?? null,
}));

function pass(more: Partial<Pass> = {}): Pass {
  const signal = AbortSignal.timeout(20_000);
  return {
    ...{ connection: {} as Partial<Connection> as Connection, crd: sampleCrd(), version: "v1", skipAbove: null, checkAbove: "100" },
    ...{
      settleResourceVersion: "100",
      settledAt: 0,
      throughStatus: false,
      keepOwnership: false,
      takesBack: true,
      verifying: false,
      guard: fullGuard,
    },
    ...{ gate: createGate(), pacer: createPacer(null), tally: createTally(), writes: unconfirmedWrites(), runId: "run" },
    ...{
      ownEntries: ownEntries(),
      leftEntries: leftEntries(),
      onPatch: () => {},
      onDisproof: async () => {},
      signal,
      lasting: signal,
      answering: signal,
    },
    ...more,
  };
}

const object: ObjectMetadata = {
  ...{
    uid: "u",
    namespace: "default",
    name: "one",
    resourceVersion: "50",
    generation: 1,
    finalizers: [],
    deletionTimestamp: null,
    writes: [],
    managedFields: [],
  },
};

// Where the refusal ends it as unchanged (isUnchanged), the run counts too few objects, and names none of its last writes.
test("an object that may have been stored by a try without an answer, and that a later check refuses, is not unchanged", async () => {
  const unanswered = () => new AppError("cluster_unreachable", "The connection was reset.");
  server.write = () => {
    throw unanswered();
  };
  server.looks = [null, { kind: "rejected", reason: "WouldLose", message: "spec.note would be dropped." }];
  const given = pass();
  const outcome = await rewriteObject(given, object);
  expect(outcome).toMatchObject({
    kind: "rejected",
    message: expect.stringContaining("An earlier attempt got no answer"),
    mayBeStored: true,
  });
  expect([given.tally.isAtLeast(), given.writes.objects()]).toEqual([true, 1]);
});

test("one that was refused before anything was sent is", async () => {
  server.looks = [{ kind: "rejected", reason: "WouldLose", message: "spec.note would be dropped." }];
  const given = pass();
  expect(await rewriteObject(given, object)).toMatchObject({ kind: "rejected", message: "spec.note would be dropped." });
  expect([given.tally.isAtLeast(), given.writes.objects()]).toEqual([false, 0]);
});

// Without takesBack, a prune that only looks writes each object of which an earlier run left crdshift's entry.
test("a pass that takes nothing back leaves crdshift's own entry to an object that is current", async () => {
  const entry = (manager: string) => ({
    manager,
    operation: "Update",
    apiVersion: "example.com/v1",
    fieldsV1: { "f:spec": { "f:size": {} } },
  });
  const own = [entry("owner"), entry("crdshift")];
  server.looks = [];
  server.write = () => ({ resourceVersion: "50", generation: 1, owned: true, managedFields: own });
  const given = pass({ takesBack: false });
  expect(await rewriteObject(given, { ...object, managedFields: own })).toEqual({ kind: "alreadyCurrent" });
  expect(given.ownEntries.sentence()).toBeNull();
});

function statusError(status: number, message: string): AppError {
  const answer = { status, reason: "InternalError", message, name: null, fields: [], retryAfterMs: null, inconsistentContinue: null };
  return withAnswer(new AppError("cluster_rejected", message), answer);
}

// A person stops the work while the write is on its way, and its answer says 409.
test.each([
  ["an answer that refuses the write", () => statusError(409, "The object has been modified."), []],
  ["one that an admission webhook caused", () => statusError(500, 'Internal error occurred: failed calling webhook "w": EOF'), []],
  ["one that etcd caused", () => statusError(500, "etcdserver: request timed out"), ["changed"]],
  ["none", null, ["changed"]],
])("a write under way when the work is stopped disproves nothing if %s says that nothing was stored", async (_, answer, found) => {
  const stop = new AbortController();
  const given = pass({ signal: stop.signal, lasting: AbortSignal.timeout(1), answering: AbortSignal.timeout(200) });
  const noted: string[] = [];
  given.onDisproof = async (disproof) => void noted.push(disproof.found);
  server.looks = [];
  server.write = async () => {
    stop.abort(new Error("Stopped."));
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (answer) throw answer();
    await new Promise((_, reject) => given.answering.addEventListener("abort", () => reject(given.answering.reason)));
    return {};
  };
  await expect(rewriteObject(given, object)).rejects.toThrow("Stopped.");
  expect(noted).toEqual(found);
});

// Without isSent (note-lost-answer.ts) a run that is cancelled while the API server is down loses its proof.
test("one that found no connection disproves nothing", async () => {
  const stop = new AbortController();
  const given = pass({ signal: stop.signal, lasting: AbortSignal.timeout(1) });
  const noted: string[] = [];
  given.onDisproof = async (disproof) => void noted.push(disproof.found);
  Object.assign(server, { isConnected: false, looks: [] });
  server.write = () => {
    stop.abort(new Error("Stopped."));
    throw new AppError("cluster_unreachable", "ECONNREFUSED");
  };
  await expect(rewriteObject(given, object)).rejects.toThrow("Stopped.");
  server.isConnected = true;
  expect(noted).toEqual([]);
});

// Without the catch (noteChanged in end-of-write.ts) nobody hears of the loss.
test("managedFields that a write emptied count as lost if what it disproves can't be recorded", async () => {
  const entry = { manager: "owner", operation: "Update", apiVersion: "example.com/v1", fieldsV1: { "f:spec": { "f:size": {} } } };
  server.looks = [];
  server.write = () => ({ resourceVersion: "60", generation: 1, owned: false, managedFields: [] });
  const stop = new AbortController();
  const onDisproof = async () => {
    stop.abort(new Error("Stopped."));
    throw stop.signal.reason;
  };
  const given = pass({ onDisproof, signal: stop.signal });
  const writes = [{ manager: "owner", version: "v1" }] as Partial<ObjectMetadata["writes"]> as ObjectMetadata["writes"];
  await expect(rewriteObject(given, { ...object, writes, managedFields: [entry] })).rejects.toThrow("Stopped.");
  expect(given.tally.statusAndOwnership().lost).toBe(1);
});

// Without `over` (noteChanged in end-of-write.ts) a write is sent for a run that another crdshift holds.
test("nothing more is sent for an object if the find shows that the run is lost, and its loss counts", async () => {
  const entry = { manager: "owner", operation: "Update", apiVersion: "example.com/v1", fieldsV1: { "f:spec": { "f:size": {} } } };
  server.looks = [];
  server.write = () => ({ resourceVersion: "60", generation: 1, owned: false, managedFields: [] });
  const onDisproof = async () => {
    throw new StopRun("elsewhere", "Another crdshift took over the rewrite.");
  };
  const sent: PatchPurpose[] = [];
  const given = pass({ onDisproof, onPatch: (purpose) => void sent.push(purpose) });
  const writes = [{ manager: "owner", version: "v1" }] as Partial<ObjectMetadata["writes"]> as ObjectMetadata["writes"];
  await expect(rewriteObject(given, { ...object, writes, managedFields: [entry] })).rejects.toThrow("Another crdshift");
  expect([given.tally.statusAndOwnership().lost, sent]).toEqual([1, ["rewrite"]]);
});

// An object taken for current: its write may be stored later, and show that it wasn't.
test("an object above the settle point whose write got no answer isn't current because the next one is refused", async () => {
  const answers = [() => statusError(500, "etcdserver: request timed out"), () => statusError(422, "spec.size: Invalid value")];
  server.looks = [];
  server.write = () => {
    throw answers.shift()?.() ?? statusError(422, "spec.size: Invalid value");
  };
  const entry = { manager: "owner", operation: "Update", apiVersion: "example.com/v0", fieldsV1: { "f:spec": { "f:size": {} } } };
  const writes = [{ manager: "owner", version: "v0" }] as Partial<ObjectMetadata["writes"]> as ObjectMetadata["writes"];
  server.tried = { metadata: { resourceVersion: "11", managedFields: [entry] } };
  const given = pass({ skipAbove: "10", keepOwnership: true });
  expect(await rewriteObject(given, { ...object, writes, managedFields: [entry] })).toMatchObject({ kind: "rejected", mayBeStored: true });
});

/** Rewrites an object whose managedFields the write empties for good, and returns how it ends, and the pass. */
function emptied(guard: Pass["guard"]) {
  const entry = { manager: "owner", operation: "Update", apiVersion: "example.com/v1", fieldsV1: { "f:spec": { "f:size": {} } } };
  server.looks = [];
  server.write = () => ({ resourceVersion: "60", generation: 1, owned: false, managedFields: [] });
  server.restored = "emptied";
  onTestFinished(() => {
    server.restored = null;
  });
  const given = pass({ guard });
  const writes = [{ manager: "owner", version: "v1" }] as Partial<ObjectMetadata["writes"]> as ObjectMetadata["writes"];
  return { given, end: rewriteObject(given, { ...object, writes, managedFields: [entry] }) };
}
const lossOfOwnership = (isAccepted: boolean) => ({
  ...fullGuard,
  acceptsNamedOwnership: () => false,
  acceptsLostOwnership: () => isAccepted,
});

// Where it makes crdshift check all others (restored in end-of-write.ts), they are refused for losses that were accepted with those listed.
test("managedFields that can't be put back are lost as accepted, with those that the dry run didn't list", async () => {
  const guard = lossOfOwnership(true);
  const { given, end } = emptied(guard);
  expect(await end).toMatchObject({ kind: "rewritten", ownership: "lost" });
  expect(given.guard).toBe(guard);
});

test("those whose loss nobody accepted reject their object, and make crdshift check all others", async () => {
  const guard = { ...lossOfOwnership(false), mustCheck: async () => false };
  const { given, end } = emptied(guard);
  expect(await end).toMatchObject({ kind: "rejected", reason: "OwnershipLost" });
  expect(await given.guard.mustCheck(object)).toBe(true);
});

// Without isChecked (write-in-turn.ts) the next object's are lost the same way: its check is no better.
test("those that a dry run right before the write had kept stop the run, and are counted", async () => {
  const { given, end } = emptied(lossOfOwnership(false));
  await expect(end).rejects.toThrow("although a dry run right before it kept them");
  expect(given.tally.statusAndOwnership().lost).toBe(1);
});
