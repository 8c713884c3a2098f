import { expect, onTestFinished, test } from "vitest";
import { isOurs } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { readHistory } from "#lib/cluster/history/read-history.ts";
import { readReport } from "#lib/cluster/history/read-report.ts";
import type { SeenRequest } from "#lib/cluster/testing/fault-proxy.ts";
import { reportSchema } from "#lib/contract/rewrite/report.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { sampleRecord } from "#lib/domain/testing/sample-crd.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { untilWorkEnds } from "#lib/rewrite/run/work-beside-runs.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { forgedProof } from "#lib/rewrite/testing/record/forged-proof.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// Whoever may patch a definition can write crdshift's annotation, without the right to write its status.

const plain = await openTestBench();
const { api, cluster, connection, define, flip, stale, rewrite, storedAs } = plain;
const OBJECTS = 8;

const prune = (definition: SampleDefinition, by: Pick<TestBench, "connection"> = plain) =>
  pruneStoredVersions(by.connection, definition.name, definition.name, soon());
const storedVersions = async (definition: SampleDefinition) => (await definition.read()).status.storedVersions;

/** Only v1beta1 has a note. */
const versions = (storage: string, v1beta1: Partial<SampleVersion> = {}): SampleVersion[] => {
  const properties = { frozen: { type: "boolean" } };
  return [
    { name: "v1", storage: storage === "v1", properties },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { ...properties, note: { type: "string" } }, ...v1beta1 },
  ];
};
const notes = async (definition: SampleDefinition) =>
  [...(await definition.storedValues(cluster.etcd)).values()].filter(({ text }) => text.includes("precious")).length;

// Without unrecorded (verify-claimed-objects.ts) crdshift verifies object by object for whoever invents a proof.
test("a forged proof that names no recorded run is not believed", async () => {
  const definition = await stale(OBJECTS);
  const { proof } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, sampleRecord({ proof }));
  await expect(prune(definition)).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("no record of the rewrite"),
  });
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without laterThan (valid-evidence.ts) crdshift verifies object by object for whoever invents a proof.
test("a forged proof whose numbers lie in the future is not believed", async () => {
  const definition = await stale(OBJECTS);
  const { proof, record } = await forgedProof(plain, definition, OBJECTS);
  const verifiedResourceVersion = `9${proof.verifiedResourceVersion}`;
  await writeRecord(api, definition, { ...record, proof: { ...proof, verifiedResourceVersion } });
  await expect(prune(definition)).rejects.toMatchObject({
    message: expect.stringContaining("its resourceVersion is above the definition's"),
  });
});

// Without verifyClaim (prune-stored-versions.ts) the prune answers 200, with every object still stored as v1beta1.
test("a forged proof with a forged run is verified object by object, found false and removed", async () => {
  const definition = await stale(OBJECTS);
  const { record } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, record);
  await expect(prune(definition)).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining(
      `${OBJECTS} objects had been stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy`,
    ),
  });
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null });
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
});

// Without fullGuard (verify-claimed-objects.ts) the verification drops the notes.
test("the verification of a claim drops nothing, and a rejected object refuses the prune", async () => {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, (index) => ({ frozen: index === 0, note: "precious" }));
  await flip(definition, versions("v1"));
  const { record } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, record);
  await denyUpdatesOfFrozen(api, definition);
  await expect(prune(definition)).rejects.toMatchObject({ message: expect.stringContaining("couldn't be verified") });
  expect(await notes(definition)).toBe(OBJECTS);
});

// Without unseen (verify-claimed-objects.ts) the verification drops the notes, which no served version shows to its guard.
test("a claim is not verified while an unserved version may hold fields that nobody can see", async () => {
  const definition = await define(versions("v1beta1"));
  await definition.createObjects("v1beta1", OBJECTS, () => ({ note: "precious" }));
  await flip(definition, versions("v1", { served: false }));
  const { record } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, record);
  await expect(prune(definition)).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("crdshift can't see what objects stored as v1beta1 would lose"),
  });
  expect(await notes(definition)).toBe(OBJECTS);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
});

// Without settled (verify-claimed-objects.ts) the prune answers 200, and a request that began before the flip may store a v1beta1 after it.
test("a claim is not verified before the settle wait is over", async () => {
  const definition = await stale(OBJECTS);
  const { proof, record } = await forgedProof(plain, definition, OBJECTS);
  const settleSeconds = 600;
  await writeRecord(api, definition, { ...record, proof: { ...proof, settleSeconds } });
  // Nothing is left for the verification to find.
  for (let index = 0; index < OBJECTS; index += 1) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  const noWait = process.env.CRDSHIFT_SETTLE_SECONDS;
  onTestFinished(() => {
    process.env.CRDSHIFT_SETTLE_SECONDS = noWait;
  });
  process.env.CRDSHIFT_SETTLE_SECONDS = String(settleSeconds);
  await expect(prune(definition)).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringMatching(/spec (changed )?less than 600 s ago/),
    nextStep: expect.stringContaining("Prune again in"),
  });
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  process.env.CRDSHIFT_SETTLE_SECONDS = noWait;
  await prune(definition);
  expect(await storedVersions(definition)).toEqual(["v1"]);
});

// Without the comparison with `verified` (prune-stored-versions.ts) v1 is pruned, as which every object is stored.
faultTest("a claim that is replaced while it is verified is not pruned on", async (bench) => {
  const { definition, record, proof } = await claimed(bench);
  const patches = () => bench.proxy.seen.filter(patchOf(definition)).length;
  const verified = patches() + OBJECTS;
  // Not the readings of its metadata that say, to the end of the verification, that its spec is unchanged.
  const isDefinition = ({ method, path, headers }: SeenRequest) =>
    method === "GET" &&
    path.endsWith(`/customresourcedefinitions/${definition.name}`) &&
    !headers.accept?.includes("PartialObjectMetadata");
  const held = bench.proxy.hold((request) => isDefinition(request) && patches() >= verified, "before", 100);
  const refused = expect(prune(definition, bench)).rejects.toMatchObject({
    code: "precondition_failed",
    message: "The proof was replaced while crdshift verified it.",
  });
  await held.reached;
  await definition.setVersions(beforeFlip);
  const { generation } = (await definition.read()).metadata;
  await writeRecord(api, definition, { ...record, proof: { ...proof, storageVersion: "v1beta1", generation } });
  held.release();
  await refused;
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  expect(await bench.storedAs(definition)).toEqual({ v1: OBJECTS });
});

// Without changedBy (verify-claimed-objects.ts) the claim is blamed for what crdshift's own patches moved, and without unconfirmedSentence
// (verify-claim.ts) nobody is told.
faultTest(
  "where the storage version is flipped back while a claim is verified, the refusal tells how many objects that may have cost fields",
  async (bench) => {
    const { definition } = await claimed(bench);
    const held = bench.proxy.hold(patchOf(definition), "before");
    const refused = prune(definition, bench).catch((error: unknown) => error);
    await held.reached;
    await definition.setVersions(beforeFlip);
    held.release();
    const error = await refused;
    expect(error).toMatchObject({ code: "precondition_failed", nextStep: "Look at what changed, then prune again." });
    expect(String(error)).toMatch(
      /definition changed (while|meanwhile).* [1-8] objects? (was|were) written after crdshift last found the definition unchanged/,
    );
    expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
  },
);

// Without stopped (verify-claim.ts) the command line prints only "Stopped.", and nobody else tells it.
faultTest("a verification that is stopped while the definition can't be read tells what may have met a change of it", async (bench) => {
  const { definition } = await claimed(bench);
  const held = bench.proxy.hold(patchOf(definition), "before");
  const stop = new AbortController();
  const refused = pruneStoredVersions(bench.connection, definition.name, definition.name, stop.signal).catch((error: unknown) => error);
  await held.reached;
  bench.proxy.inject(({ headers }) => headers.accept?.includes("PartialObjectMetadata;") === true, { kind: "hang" });
  stop.abort(new Error("stopped by SIGINT"));
  const error = await refused;
  held.release();
  expect(error).toMatchObject({ code: "precondition_failed", nextStep: "Look at the definition, then prune again." });
  expect(String(error)).toMatch(/verification of the proof was stopped\. [1-8] objects? (was|were) written after crdshift last found/);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);
});

// Where it counts as work only once it has failed (withdraw-claim.ts), a command line that ends with its prune ends before it, in silence.
faultTest(
  "what a write without an answer may disprove of a claim is work that a process waits for, from its first try on",
  async (bench) => {
    const { definition } = await claimed(bench);
    const held = bench.proxy.hold(patchOf(definition), "after");
    const stop = new AbortController();
    const refused = pruneStoredVersions(bench.connection, definition.name, definition.name, stop.signal).catch((error: unknown) => error);
    await held.reached;
    const records = bench.proxy.hold(({ method, path }) => method === "PATCH" && path.includes(`/${definition.name}`), "before");
    stop.abort(new Error("stopped by SIGINT"));
    await refused;
    const recording = untilWorkEnds(20_000);
    expect(recording).not.toBeNull();
    records.release();
    held.release();
    await recording;
    expect(await readRecord(definition)).toMatchObject({ proof: null, doubt: expect.anything() });
  },
);

// Without claims (proof-standing.ts) the report and the page say that all objects are proven, with every object stored as v1beta1.
test("a forged proof is told as a claim, in the report and on the page", async () => {
  const definition = await stale(OBJECTS);
  const { record, proof } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, record, "kubectl");
  const claimed = expect.stringContaining(
    "claimed, not signed by this installation: a rewrite verifies it, and so does a prune of up to 1,000 objects",
  );
  const report = reportSchema.parse(await readReport(connection, definition.name, proof.runId, soon()));
  expect(report.verdict).toEqual({ state: "claimed", because: claimed });
  expect(await readDetail(connection, definition.name, soon())).toMatchObject({ proof: { standing: "claimed" } });
  const { items } = await readHistory(connection, definition.name, soon());
  expect(items.find(({ kind }) => kind === "claimed")).toMatchObject({ run: proof.runId, message: claimed });
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// Without the numbers of the verifying pass (verify-claimed-objects.ts) crdshift signs 999,999 objects and losses that nobody accepted.
test("of a claim that is verified, crdshift signs only what it verified", async () => {
  const definition = await stale(OBJECTS);
  for (let index = 0; index < OBJECTS; index += 1) await api.mergePatch(definition.path("v1", { name: objectName(index) }), {});
  const { record, proof } = await forgedProof(plain, definition, 999_999);
  const losses = [{ kind: "dropped" as const, path: "spec.secret", objects: 5 }];
  const acceptedLosses = {
    by: "alice",
    at: proof.provenAt,
    dryRun: null,
    losses,
    more: 0,
    sample: null,
    unseen: false,
    of: null,
    signature: null,
  };
  const settleResourceVersion = "1";
  await writeRecord(api, definition, { ...record, proof: { ...proof, settleResourceVersion, settleSeconds: 3_600, acceptedLosses } });
  await prune(definition);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  const pruned = await readRecord(definition);
  expect(isOurs(connection, pruned.proof)).toBe(true);
  expect(pruned.proof).toMatchObject({
    ...{ objects: OBJECTS, verify: "every-object", settleSeconds: 0, acceptedLosses: null, runId: proof.runId },
  });
  const { settleResourceVersion: settledAt = "", verifiedResourceVersion: verifiedAt = "" } = pruned.proof ?? {};
  expect(compareResourceVersions(settledAt, proof.verifiedResourceVersion)).toBeGreaterThan(0);
  expect(compareResourceVersions(verifiedAt, settledAt)).toBeGreaterThanOrEqual(0);
});

// With takesBack (verify-claimed-objects.ts) a prune, which only looks, writes the object of which a rewrite left an entry.
test("a true proof of another crdshift is verified, and then pruned on", async () => {
  const definition = await stale(OBJECTS);
  await rewrite(definition, { acceptUnseen: true });
  const record = await readRecord(definition);
  if (!record.proof) throw new Error("There is no proof.");
  await api.mergePatch(`${definition.path("v1", { name: objectName(0) })}?fieldManager=crdshift`, { spec: { size: 99 } });
  const before = await definition.storedValues(cluster.etcd);
  await writeRecord(api, definition, { ...record, proof: { ...record.proof, signature: null } });
  await prune(definition);
  expect(await storedVersions(definition)).toEqual(["v1"]);
  expect(await definition.storedValues(cluster.etcd)).toEqual(before);
});

// Without claims (validProof in valid-evidence.ts) the version that every object is stored as is removed.
test("a forged proof does not make crdshift forget a prune that it saw done without one", async () => {
  const definition = await stale(OBJECTS);
  const fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  await fleet.listed(soon());
  const known = () => fleet.crd(definition.name);
  await expect.poll(() => known()?.storedVersions).toEqual(["v1beta1", "v1"]);
  await definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  const status = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`;
  await api.mergePatch(status, { status: { storedVersions: ["v1"] } });
  await expect.poll(() => known()?.shrankWithoutProof).toEqual(["v1beta1"]);
  const { record } = await forgedProof(plain, definition, OBJECTS);
  await writeRecord(api, definition, record);
  const body = { confirm: "v1beta1", acceptManagedFields: true } as const;
  await expect(removeVersion(connection, definition.name, "v1beta1", body, soon())).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("Objects are, or may be, stored as v1beta1"),
  });
  expect(known()?.shrankWithoutProof).toEqual(["v1beta1"]);
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

/** A definition of which everything is proven, by a proof that another installation signed. */
async function claimed({ stale: make, rewrite: prove }: Pick<TestBench, "stale" | "rewrite">) {
  const definition = await make(OBJECTS);
  expect(await prove(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const record = await readRecord(definition);
  if (!record.proof) throw new Error("There is no proof.");
  const proof = { ...record.proof, signature: null };
  await writeRecord(api, definition, { ...record, proof });
  return { definition, record, proof };
}
