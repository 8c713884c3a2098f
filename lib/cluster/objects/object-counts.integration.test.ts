import { expect, onTestFinished, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { restrictedUser } from "#lib/cluster/testing/restricted-user.ts";
import type { VersionCount } from "#lib/contract/objects/object-counts.ts";
import { sampleRecord, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { createDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { countObjects } from "./object-counts.ts";

const { cluster, api } = openWorkerCluster();
const soon = () => AbortSignal.timeout(60_000);

async function definitionWith(count: number, versions: SampleVersion[] = [{ name: "v1" }, { name: "v1beta1", storage: true }]) {
  const definition = await createDefinition(api, versions);
  onTestFinished(() => definition.remove());
  await definition.createObjects("v1beta1", count);
  await chooseContexts(cluster, { name: "a" });
  const connection = await connect("a");
  const read = async () => (await readCrd(connection, definition.name, soon())).crd;
  return { definition, connection, read };
}

test("grow page by page, and end complete and exact", async () => {
  const { connection, read } = await definitionWith(1_100);
  const steps = await Array.fromAsync(countObjects(connection, await read(), soon()));
  expect(steps.map(({ scanned, complete }) => [scanned, complete])).toEqual([
    [50, false],
    [250, false],
    [750, false],
    [1_100, true],
  ]);
  expect(steps.map(({ total, basis }) => [total, basis])).toEqual(Array(4).fill([1_100, "list"]));
  expect(steps.at(-1)?.versions).toEqual([
    { name: "v1", stored: { atLeast: 0, atMost: 0, basis: "declared" }, lastWrittenAs: 0, managedFieldsAs: 0 },
    { name: "v1beta1", stored: { atLeast: 1_100, atMost: 1_100, basis: "declared" }, lastWrittenAs: 1_100, managedFieldsAs: 1_100 },
  ]);
});

test("are bounded by a settle point, and tell what clients wrote apart from what is stored", async () => {
  const { definition, connection, read } = await definitionWith(10);
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  const crd = await read();
  await Promise.all(
    ["widget-000000", "widget-000001", "widget-000002"].map((name) =>
      api.mergePatch(definition.path("v1", { name }), { spec: { more: 1 } }),
    ),
  );
  const record = sampleRecord({ settlePoint: sampleSettlePoint(crd, { resourceVersion: crd.resourceVersion }) });
  // No fleet knows a newer one.
  const settled = { ...crd, resourceVersion: String(Number(crd.resourceVersion) + 1_000), record };
  const [counts] = await Array.fromAsync(countObjects(connection, settled, soon()));
  expect(counts?.versions).toEqual([
    { name: "v1", stored: { atLeast: 3, atMost: 10, basis: "settle-point" }, lastWrittenAs: expect.any(Number), managedFieldsAs: 3 },
    { name: "v1beta1", stored: { atLeast: 0, atMost: 7, basis: "settle-point" }, lastWrittenAs: expect.any(Number), managedFieldsAs: 10 },
  ]);
  // managedFields has whole seconds: of two writes in one second, the newer is unknown.
  expect(counts?.versions.reduce((sum, { lastWrittenAs }) => sum + (lastWrittenAs ?? 0), 0)).toBe(10);
});

// Without currentCrd (object-counts.ts) a line rests on the definition as it was when the count began: v1 is declared to be empty.
test("rest on the definition as it is at each line", async () => {
  const { definition, connection, read } = await definitionWith(60);
  const counting = countObjects(connection, await read(), soon());
  const storedNow = async () => {
    const { value } = await counting.next();
    return [value?.definition.generation, value?.versions.map(({ stored }: VersionCount) => stored.basis)];
  };
  expect(await storedNow()).toEqual([1, ["declared", "declared"]]);
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  await expect.poll(() => fleetOf(connection).crd(definition.name)?.storedVersions).toEqual(["v1beta1", "v1"]);
  expect(await storedNow()).toEqual([2, ["none", "none"]]);
});

test("that the cluster denies are unknown, not zero", async () => {
  const { read } = await definitionWith(2);
  const crd = await read();
  const nobody = await restrictedUser(api, []);
  await chooseContexts(cluster, { name: "nobody", token: nobody.token });
  const [counts] = await Array.fromAsync(countObjects(await connect("nobody"), crd, soon()));
  expect(counts).toMatchObject({ total: null, basis: "denied", complete: true, message: expect.stringContaining("cannot list") });
  for (const version of counts?.versions ?? []) {
    expect(version).toMatchObject({ stored: { atLeast: null, atMost: null, basis: "none" }, lastWrittenAs: null, managedFieldsAs: null });
  }
});

test("of a definition that serves nothing are unknown, not zero", async () => {
  const { read, connection } = await definitionWith(1);
  const crd = await read();
  const unserved = { ...crd, versions: crd.versions.map((version) => ({ ...version, served: false })) };
  const [counts] = await Array.fromAsync(countObjects(connection, unserved, soon()));
  expect(counts).toMatchObject({ total: null, basis: "unknown", message: expect.stringContaining("No version is served") });
});

test("stop with the signal's reason when the reader leaves", async () => {
  const { read, connection } = await definitionWith(501);
  const stop = new AbortController();
  const counting = countObjects(connection, await read(), stop.signal);
  await counting.next();
  const reason = new Error("the reader left");
  stop.abort(reason);
  await expect(counting.next()).rejects.toBe(reason);
});
