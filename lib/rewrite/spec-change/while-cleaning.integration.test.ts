import { expect } from "vitest";
import { connect, contextsFor } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { type FaultBench, faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";
import { changeVersion } from "./change-version.ts";
import { dropConversion } from "./drop-conversion.ts";
import { removeVersion } from "./remove-version.ts";

const OBJECTS = 4;
const two: SampleVersion[] = [{ name: "v1", storage: true }, { name: "v1beta1" }];

/** Objects with managedFields that name v1alpha1, which is gone. */
async function toClean({ define, apply, flip }: FaultBench, versions: SampleVersion[]): Promise<SampleDefinition> {
  const definition = await define([{ name: "v1alpha1" }, ...versions]);
  for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
  await flip(definition, versions);
  return definition;
}

/** Begins to clean, and is held as it writes the first object, or tries to. */
async function cleaning(
  { connection, proxy }: FaultBench,
  definition: SampleDefinition,
  { dryRun = false, as = connection, at = "before" }: { dryRun?: boolean; as?: Connection; at?: "before" | "after" } = {},
) {
  const { crd } = await readCrd(connection, definition.name, soon());
  // Not the merge patches by which a flip looks for losses.
  const ofCleaning: Match = ({ method, path, headers }) =>
    method === "PATCH" &&
    path.startsWith(`/apis/${definition.group}/`) &&
    headers["content-type"] === "application/json-patch+json" &&
    path.includes("dryRun=All") === dryRun;
  const held = proxy.hold(ofCleaning, at, Number.POSITIVE_INFINITY);
  const clean = async () => {
    let cleaned = 0;
    for await (const step of cleanManagedFields(as, crd, { versions: ["v1alpha1"], dryRun }, soon())) cleaned = step.cleaned;
    return cleaned;
  };
  const ended = clean();
  // A cleaning that is refused ends at once.
  await Promise.race([held.reached, ended]);
  return { ended, release: () => held.release() };
}

const refused = {
  code: "conflict",
  message: expect.stringContaining("cleaning managedFields"),
  nextStep: expect.stringContaining("Wait until the cleaning ends, or stop it"),
};

// Without refuseWhileCleaning (change-version.ts, remove-version.ts, patch-unchanged-spec.ts) the flip breaks the cleaning off, and what
// it was just writing is stored by the new spec.
faultTest("no version is flipped or removed while this process cleans the definition's objects", async (bench) => {
  const { connection, storedAs } = bench;
  const unserved = { name: "v1beta2", served: false };
  const definition = await toClean(bench, [...two, unserved]);
  // Nothing is cleaned while an unserved version may hold objects.
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  const { ended, release } = await cleaning(bench, definition);
  const { generation } = (await definition.read()).metadata;
  const flip = () => changeVersion(connection, definition.name, "v1beta1", { storage: true }, soon());
  const removal = () => removeVersion(connection, definition.name, "v1beta2", { confirm: "v1beta2", acceptManagedFields: true }, soon());
  await expect(flip()).rejects.toMatchObject(refused);
  await expect(removal()).rejects.toMatchObject(refused);
  expect((await definition.read()).metadata.generation).toBe(generation);
  release();
  expect(await ended).toBe(OBJECTS);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  await removal();
  expect(await flip()).toMatchObject({ storedVersions: ["v1", "v1beta1"] });
});

// Without refuseWhileCleaning (patch-unchanged-spec.ts) the webhook goes, and the cleaning ends with an error.
faultTest("no conversion is dropped meanwhile", async (bench) => {
  const { connection } = bench;
  const definition = await toClean(bench, [{ name: "v1", storage: true }]);
  const { conversion } = await breakableConversion();
  await definition.setVersions([{ name: "v1", storage: true }], conversion);
  const drop = () => dropConversion(connection, definition.name, {}, soon());
  const { ended, release } = await cleaning(bench, definition);
  await expect(drop()).rejects.toMatchObject(refused);
  release();
  expect(await ended).toBe(OBJECTS);
  expect(await drop()).toMatchObject({ conversion: { strategy: "None" } });
});

// Begun before the first write (cleaningHere), whoever may only list the objects could hold up everyone's changes of the definition.
faultTest("a cleaning that finds nothing to write is in nobody's way", async (bench) => {
  const definition = await toClean(bench, two);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const list = bench.proxy.hold(({ method, path }) => method === "GET" && path.includes(`/${definition.plural}?`), "after", 1);
  const ended = Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: ["nosuch"] }, soon())).catch(() => {});
  await list.reached;
  const deprecated = await changeVersion(bench.connection, definition.name, "v1beta1", { deprecated: true }, soon());
  expect(deprecated.versions).toContainEqual(expect.objectContaining({ name: "v1beta1", deprecated: true }));
  list.release();
  await ended;
});

// Without notingSent (clean-objects.ts) a preview would hold the definition for nothing.
faultTest("a preview of a cleaning, which writes nothing, is in nobody's way", async (bench) => {
  const definition = await toClean(bench, two);
  const { ended, release } = await cleaning(bench, definition, { dryRun: true });
  const flipped = await changeVersion(bench.connection, definition.name, "v1beta1", { storage: true }, soon());
  expect(flipped).toMatchObject({ storedVersions: ["v1", "v1beta1"] });
  release();
  await expect(ended).rejects.toMatchObject({ message: expect.stringContaining("The definition changed meanwhile") });
});

const crds = { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"] };

/** Over the proxy, as someone who may clean the objects, and do this to definitions. */
async function connectAs({ api }: FaultBench, { group, plural }: SampleDefinition, verbs: string[]): Promise<Connection> {
  const { token } = await restrictedUser(api, [
    { ...crds, verbs },
    { apiGroups: [group], resources: [plural], verbs: ["get", "list", "patch"] },
  ]);
  const credentials = { kind: "bearer", token } as const;
  return connect(contextsFor(credentials).current, credentials);
}

// Without cleanersRights (cleanings-here.ts) whoever repeats such a cleaning keeps the definition's owner from every change.
faultTest("someone who may clean but not patch the definition holds nobody back, and their cleaning ends", async (bench) => {
  const definition = await toClean(bench, two);
  const as = await connectAs(bench, definition, ["get", "list", "watch"]);
  const { ended, release } = await cleaning(bench, definition, { as });
  const end = ended.catch((error: unknown) => error);
  const flipped = await changeVersion(bench.connection, definition.name, "v1beta1", { storage: true }, soon());
  expect(flipped).toMatchObject({ storedVersions: ["v1", "v1beta1"] });
  // Without being released.
  expect(await end).toMatchObject({ code: "precondition_failed", message: expect.stringContaining("The definition changed meanwhile") });
  release();
  expect((await bench.storedAs(definition)).v1beta1 ?? 0).toBe(0);
});

faultTest("such a cleaning says how many objects it may have written around the change", async (bench) => {
  const definition = await toClean(bench, two);
  const as = await connectAs(bench, definition, ["get", "list", "watch"]);
  const { ended, release } = await cleaning(bench, definition, { as, at: "after" });
  const end = ended.catch((error: unknown) => error);
  await changeVersion(bench.connection, definition.name, "v1beta1", { storage: true }, soon());
  expect(await end).toMatchObject({
    message: expect.stringMatching(/changed meanwhile.* written after crdshift last found the definition/),
  });
  release();
});

faultTest("someone with a token who may patch the definition holds others back", async (bench) => {
  const definition = await toClean(bench, two);
  const as = await connectAs(bench, definition, ["get", "list", "watch", "patch"]);
  const { ended, release } = await cleaning(bench, definition, { as });
  await expect(changeVersion(bench.connection, definition.name, "v1beta1", { storage: true }, soon())).rejects.toMatchObject(refused);
  release();
  expect(await ended).toBe(OBJECTS);
});

// Without refuseBeside (cleanings-here.ts) the second takes the first's entries for left ones.
faultTest("one definition's objects are cleaned once at a time, and not while a rewrite could begin", async (bench) => {
  const definition = await toClean(bench, two);
  const { ended, release } = await cleaning(bench, definition);
  const { crd } = await readCrd(bench.connection, definition.name, soon());
  const second = Array.fromAsync(cleanManagedFields(bench.connection, crd, { versions: ["v1alpha1"] }, soon()));
  await expect(second).rejects.toMatchObject({ ...refused, message: expect.stringContaining("two at once") });
  // A preview takes nothing from anyone.
  const preview = await cleaning(bench, definition, { dryRun: true });
  preview.release();
  expect(await preview.ended).toBe(OBJECTS);
  // Without refuseRewriteWhileCleaning (start-rewrite.ts) each would take the other's.
  await expect(bench.start(definition, { acceptUnseen: true })).rejects.toMatchObject(refused);
  release();
  expect(await ended).toBe(OBJECTS);
  expect(await bench.rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
});

// Without isBeingRewritten (clean-managed-fields.ts) it goes on beside the rewrite; without the ranks, it keeps others from cleaning.
faultTest("the cleaning of someone who may not patch the definition makes way for a rewrite, and for whoever may", async (bench) => {
  const definition = await toClean(bench, two);
  const as = await connectAs(bench, definition, ["get", "list", "watch"]);
  const first = await cleaning(bench, definition, { as });
  const end = first.ended.catch((error: unknown) => error);
  const second = await cleaning(bench, definition);
  expect(await end).toMatchObject({ message: expect.stringContaining("Someone who may change more") });
  first.release();
  second.release();
  expect(await second.ended).toBe(OBJECTS);
  const another = await toClean(bench, two);
  const third = await cleaning(bench, another, { as: await connectAs(bench, another, ["get", "list", "watch"]) });
  const { id } = await bench.start(another, { acceptUnseen: true });
  await expect(third.ended).rejects.toMatchObject({ message: expect.stringContaining("A rewrite of its objects began meanwhile.") });
  third.release();
  expect(await bench.endOf(another, id)).toMatchObject({ phase: "succeeded" });
});

const isAskingRight: Match = ({ method, path }) => method === "POST" && path.includes("/selfsubjectaccessreviews");

faultTest("a cleaning whose user's rights the cluster can't tell holds nobody back", async (bench) => {
  const { connection, proxy } = bench;
  const definition = await toClean(bench, two);
  const body = JSON.stringify({ kind: "Status", status: "Failure", code: 500, reason: "InternalError", message: "no authorizer" });
  const unable = proxy.inject(isAskingRight, { kind: "answer", status: 500, body });
  const { ended, release } = await cleaning(bench, definition);
  const end = ended.catch((error: unknown) => error);
  expect(unable.hits()).toBeGreaterThan(0);
  const flipped = await changeVersion(connection, definition.name, "v1beta1", { storage: true }, soon());
  expect(flipped).toMatchObject({ storedVersions: ["v1", "v1beta1"] });
  expect(await end).toMatchObject({ message: expect.stringContaining("The definition changed meanwhile") });
  release();
});
