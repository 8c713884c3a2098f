import { expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import { faultTest, statusWriteOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { pruneStoredVersions } from "./prune-stored-versions.ts";
import { relistStoredVersions } from "./relist-stored-versions.ts";

const { cluster, api, connection, rewrite, stale, define, flip } = await openTestBench();
const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const refusal = (code: string) => expect.objectContaining({ code });

test("a prune after a proof lets the API server drop the old version, and can be undone before", async () => {
  const definition = await stale(10);
  await expect(definition.setVersions([{ name: "v1", storage: true }])).rejects.toThrow(/storedVersions\[0\]: Invalid value: "v1beta1"/);
  await rewrite(definition);
  const detail = await readDetail(connection, definition.name, soon());
  expect(detail).toMatchObject({ state: "prunable", actions: { prune: { refusal: null } } });

  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  expect((await definition.read()).status.storedVersions).toEqual(["v1"]);
  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
  await pruneStoredVersions(connection, definition.name, definition.name, soon());

  await definition.setVersions([{ name: "v1", storage: true }]);
  expect((await definition.read()).spec.versions).toHaveLength(1);
  await expect(relistStoredVersions(connection, definition.name, ["v1beta1"], soon())).rejects.toEqual(refusal("precondition_failed"));
});

// Without relistableVersions (describe-crd.ts) it is refused until v1alpha1 is put back into spec.versions, which voids the proof.
test("a prune of two versions can be undone for one once the other is removed", async () => {
  const versions = (storage: string, ...names: string[]) => names.map((name) => ({ name, storage: name === storage }));
  const definition = await define(versions("v1alpha1", "v1alpha1", "v1beta1", "v1"));
  for (const storage of ["v1beta1", "v1"]) await flip(definition, versions(storage, "v1alpha1", "v1beta1", "v1"));
  await rewrite(definition);
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  await definition.setVersions(versions("v1", "v1beta1", "v1"));
  const shown = async () => (await readDetail(connection, definition.name, soon())).actions.restore;
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).versions.length).toBe(2);
  expect(await shown()).toEqual({ refusal: null });
});

test("a prune is refused when the definition changed after the proof, and leaves it untouched", async () => {
  const definition = await stale(10);
  await rewrite(definition);
  await definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", deprecated: true },
  ]);
  const before = await definition.read();
  await expect(pruneStoredVersions(connection, definition.name, definition.name, soon())).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringContaining("generation"),
    nextStep: expect.stringContaining("again"),
  });
  expect(await definition.read()).toEqual(before);
});

test("a prune that the cluster rejects keeps the undo of the previous one", async () => {
  const definition = await stale(1);
  await rewrite(definition);
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  const before = (await readDetail(connection, definition.name, soon())).lastPrune;
  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());

  const resources = ["customresourcedefinitions"];
  const user = await restrictedUser(api, [{ apiGroups: ["apiextensions.k8s.io"], resources, verbs: ["get", "list", "watch", "patch"] }]);
  await chooseContexts(cluster, { name: "no status", token: user.token });
  const limited = await connect("no status");
  chooseKubeconfig(cluster.kubeconfig);
  await expect(pruneStoredVersions(limited, definition.name, definition.name, soon())).rejects.toMatchObject({ code: "forbidden" });
  await expect.poll(async () => (await readDetail(limited, definition.name, soon())).lastPrune).toEqual(before);
  expect((await definition.read()).status.storedVersions).toEqual(["v1beta1", "v1"]);
});

test("a prune is refused without a proof, with nothing to prune, and with a wrong confirmation", async () => {
  const definition = await stale(1);
  const prune = (confirm = definition.name) => pruneStoredVersions(connection, definition.name, confirm, soon());
  await expect(prune("widgets")).rejects.toEqual(refusal("invalid_input"));
  await expect(prune()).rejects.toEqual(refusal("precondition_failed"));
  await rewrite(definition);
  await prune();
  await expect(prune()).rejects.toEqual(refusal("precondition_failed"));
});

// Without writeUnchanged a controller that answers each write of the definition makes every prune fail.
faultTest("a prune goes on where another client annotates the definition in between", async (bench) => {
  const definition = await bench.stale(3);
  await bench.rewrite(definition);
  const held = bench.proxy.hold(statusWriteOf(definition), "before");
  const pruned = pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  await held.reached;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}`, { metadata: { annotations: { "example.com/seen": "yes" } } });
  held.release();
  expect((await pruned).storedVersions).toEqual(["v1"]);
  expect(bench.proxy.seen.filter(statusWriteOf(definition)).map(({ status }) => status)).toEqual([409, 200]);
});

// Without isAsRead the second write relies on what the first one saw.
faultTest("a prune does not go on where what it relies on changes in between", async (bench) => {
  const definition = await bench.stale(3);
  await bench.rewrite(definition);
  const held = bench.proxy.hold(statusWriteOf(definition), "before");
  const pruned = pruneStoredVersions(bench.connection, definition.name, definition.name, soon()).catch((error: unknown) => error);
  await held.reached;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1beta1", "v1", "v1beta1"] } });
  held.release();
  expect(await pruned).toMatchObject({ code: "precondition_failed", message: expect.stringContaining("changed just before the prune") });
  expect(bench.proxy.seen.filter(statusWriteOf(definition))).toHaveLength(1);
  expect((await definition.read()).status.storedVersions).toContain("v1beta1");
});

// Without the attempts that it shares with a prune (write-unchanged.ts) a busy annotator makes every undo fail.
faultTest("an undo goes on where another client annotates the definition in between", async (bench) => {
  const definition = await bench.stale(3);
  await bench.rewrite(definition);
  await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  const held = bench.proxy.hold(statusWriteOf(definition), "before");
  const undone = relistStoredVersions(bench.connection, definition.name, ["v1beta1"], soon());
  await held.reached;
  await api.mergePatch(`${DEFINITIONS}/${definition.name}`, { metadata: { annotations: { "example.com/seen": "yes" } } });
  held.release();
  expect((await undone).storedVersions).toEqual(["v1beta1", "v1"]);
  expect(bench.proxy.seen.filter(statusWriteOf(definition)).map(({ status }) => status)).toEqual([200, 409, 200]);
});

// Without words of their own they speak of a prune, which nobody asked for.
faultTest("an undo or a repair that comes upon another change says that nothing was undone or repaired", async (bench) => {
  const definition = await bench.stale(3);
  const relistAmidChange = async () => {
    const held = bench.proxy.hold(statusWriteOf(definition), "before");
    const relisted = relistStoredVersions(bench.connection, definition.name, ["v1beta1"], soon()).catch((error: unknown) => error);
    await held.reached;
    await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1", "v1"] } });
    held.release();
    return relisted;
  };
  const refused = (message: string) => ({ code: "precondition_failed", message });

  await bench.rewrite(definition);
  await api.mergePatch(`${DEFINITIONS}/${definition.name}/status`, { status: { storedVersions: ["v1"] } });
  expect(await relistAmidChange()).toMatchObject(refused("The definition changed just before the repair, so nothing was repaired."));
  await relistStoredVersions(bench.connection, definition.name, ["v1beta1"], soon());
  await pruneStoredVersions(bench.connection, definition.name, definition.name, soon());
  expect(await relistAmidChange()).toMatchObject(refused("The definition changed just before the undo, so nothing was undone."));
  expect((await definition.read()).status.storedVersions).not.toContain("v1beta1");
});
