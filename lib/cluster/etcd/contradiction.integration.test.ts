import { expect, onTestFinished, test, vi } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const bench = await openTestBench();
const { cluster, connection } = bench;
const patient = { timeout: 60_000, interval: 20 };

/** A definition of three objects, all rewritten and proven; `makeStale` puts the first one's old bytes back into etcd. */
async function provenDefinition() {
  const definition = await bench.stale(3);
  const stale = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
  const put = (text: string) => putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, text);
  return { definition, put, makeStale: () => put(stale) };
}

const detail = (definition: SampleDefinition) => readDetail(connection, definition.name, soon());
const prune = (definition: SampleDefinition) => pruneStoredVersions(connection, definition.name, definition.name, soon());
const storedVersions = async (definition: SampleDefinition) => (await definition.read()).status.storedVersions;

async function count(definition: SampleDefinition): Promise<void> {
  const { crd } = await readCrd(connection, definition.name, soon());
  await Array.fromAsync(countObjects(connection, crd, soon()));
}

// Without rememberCount (object-counts.ts) it stays current; with isOutdated true for later proofs, the second rewrite makes it prunable.
test("blocks the definition until the version is back and a rewrite has verified every object", async () => {
  const { definition, makeStale } = await provenDefinition();
  chooseEtcd(cluster.etcd);
  await prune(definition);
  await makeStale();
  const events: ServerEvent[] = [];
  onTestFinished(fleetOf(connection).subscribe((event) => void events.push(event)));
  expect(await detail(definition)).toMatchObject({ state: "current", contradiction: null, missingStoredVersions: [] });

  await count(definition);
  expect(await detail(definition)).toMatchObject({
    state: "blocked",
    stateReason: expect.stringContaining("etcd holds 1 object stored as v1beta1, which status.storedVersions doesn't list"),
    contradiction: { asOf: expect.stringMatching(/^\d{4}-/), unlisted: [{ version: "v1beta1", objects: 1 }], disproved: [] },
    missingStoredVersions: ["v1beta1"],
    actions: { restore: { refusal: null }, rewrite: { refusal: null } },
  });
  const told = () => events.findLast(({ event, data }) => event === "crd" && "item" in data && data.item.name === definition.name);
  await expect.poll(told, patient).toMatchObject({ data: { item: { state: "blocked" } } });

  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
  const disproved = {
    state: "blocked",
    missingStoredVersions: [],
    contradiction: { unlisted: [], disproved: [{ version: "v1beta1", objects: 1 }] },
  };
  await expect.poll(() => detail(definition), patient).toMatchObject(disproved);
  expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { rewritten: 1 } });
  await expect.poll(() => detail(definition), patient).toMatchObject({ state: "prunable", contradiction: null });
  await prune(definition);
  expect(await detail(definition)).toMatchObject({ state: "current", storedVersions: ["v1"] });
  expect(await bench.storedAs(definition)).toEqual({ v1: 3 });
});

// Without refuseWhatEtcdDisproves (prune-stored-versions.ts) both prunes succeed.
test("that a prune finds refuses it with the numbers, also once etcd can't be asked any more, until a newer count finds nothing", async () => {
  const { definition, put, makeStale } = await provenDefinition();
  const current = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  await makeStale();
  chooseEtcd(cluster.etcd);
  const refusal = {
    code: "precondition_failed",
    message: expect.stringMatching(
      /^A count at \S.* UTC shows that etcd holds 1 object stored as v1beta1, but a proof says there are none\.$/,
    ),
    nextStep: expect.stringContaining("every object verified"),
  };
  await expect(prune(definition)).rejects.toMatchObject(refusal);
  expect(await detail(definition)).toMatchObject({
    state: "blocked",
    actions: { prune: { refusal: expect.stringContaining("1 object stored as v1beta1") } },
    lastPrune: null,
  });
  vi.unstubAllEnvs();
  await expect(prune(definition)).rejects.toMatchObject(refusal);
  expect(await storedVersions(definition)).toEqual(["v1beta1", "v1"]);

  await put(current);
  chooseEtcd(cluster.etcd);
  await prune(definition);
  expect(await storedVersions(definition)).toEqual(["v1"]);
});

// With evidence that a count contradicts among withOwnEvidence, the proof switches the guards off, and the note is gone from etcd.
test("means that a rewrite doesn't rely on the proof: what is stored in a version that isn't served may lose what nobody can see", async () => {
  const old = { name: "v1beta1", properties: { size: { type: "integer" }, note: { type: "string" } } };
  const current = { name: "v1", properties: { size: { type: "integer" } } };
  const before = [{ ...old, storage: true }, current];
  const after = [
    { ...old, served: false },
    { ...current, storage: true },
  ];
  const definition = await bench.stale(2, { versions: { before, after }, spec: () => ({ size: 1, note: "precious" }) });
  const value = async () => (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  const stale = await value();
  expect(await bench.rewrite(definition, { acceptLosses: true, acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  expect(await value()).not.toContain("precious");

  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, stale);
  chooseEtcd(cluster.etcd);
  await count(definition);
  const held = { phase: "unproven", heldBackBecause: expect.stringContaining("v1beta1"), counts: { rewritten: 0 } };
  expect(await bench.rewrite(definition, { verify: "every-object" })).toMatchObject(held);
  expect(await value()).toContain("precious");
});

// With a failed reading thrown (remember-counts.ts), or unreadable values taken for objects of a leftover version, the prune is refused.
test("is what it takes to refuse a prune: neither an etcd that fails nor a value that can't be read does", async () => {
  const failing = await provenDefinition();
  chooseEtcd(cluster.etcd, { ENDPOINTS: "https://127.0.0.1:1" });
  await prune(failing.definition);
  expect(await storedVersions(failing.definition)).toEqual(["v1"]);

  const unreadable = await provenDefinition();
  const current = (await unreadable.definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  await unreadable.put("k8s:enc:aescbc:v1:key1:not for us");
  chooseEtcd(cluster.etcd);
  await prune(unreadable.definition);
  await unreadable.put(current);
  expect(await storedVersions(unreadable.definition)).toEqual(["v1"]);
});
