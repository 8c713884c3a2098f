import { expect, onTestFinished, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import { chooseEtcd } from "#lib/cluster/testing/choose-contexts.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { forgedProof } from "#lib/rewrite/testing/record/forged-proof.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { writeRecord } from "#lib/rewrite/testing/record/write-record.ts";

// Whoever may patch a definition can claim a proof, and so try to silence what crdshift itself has seen.

const bench = await openTestBench();
const { api, cluster, connection, rewrite, stale, storedAs } = bench;
const OBJECTS = 8;

const status = ({ name }: SampleDefinition) => `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}/status`;
const removal = (definition: SampleDefinition) =>
  removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1", acceptManagedFields: true }, soon());
const unserve = (definition: SampleDefinition) =>
  definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
const detail = (definition: SampleDefinition) => readDetail(connection, definition.name, soon());

/** Resolves once the fleet has seen the definition's record as it was just written. */
async function seen(definition: SampleDefinition, record: { proof: { objects: number } | null }): Promise<void> {
  const known = () => fleetOf(connection).crd(definition.name);
  await expect.poll(() => readableRecord(known() ?? { record: null })?.proof?.objects).toBe(record.proof?.objects);
}

async function count(definition: SampleDefinition): Promise<void> {
  const { crd } = await readCrd(connection, definition.name, soon());
  await Array.fromAsync(countObjects(connection, crd, soon()));
}

// With any proof in isOutdated (contradiction.ts) the state is "current", and the removal makes the object unreadable.
test.each(["kubectl", "crdshift"])(
  "a claim of a later proof, written as %s, doesn't outdate what crdshift counted in etcd",
  async (manager) => {
    const definition = await stale(OBJECTS);
    const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
    expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
    chooseEtcd(cluster.etcd);
    await pruneStoredVersions(connection, definition.name, definition.name, soon());
    await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
    await unserve(definition);
    await count(definition);
    const contradicted = { state: "blocked", contradiction: { unlisted: [{ version: "v1beta1", objects: 1 }] } };
    await expect.poll(() => detail(definition)).toMatchObject(contradicted);
    const record = await readRecord(definition);
    const later = { verifiedResourceVersion: "99999999999", settleResourceVersion: "99999999999", objects: 99, signature: null };
    const claimed = { ...record, proof: record.proof && { ...record.proof, ...later, verify: "every-object" as const } };
    await writeRecord(api, definition, claimed, manager);
    await seen(definition, claimed);
    expect(await detail(definition)).toMatchObject(contradicted);
    await count(definition);
    expect(await detail(definition)).toMatchObject(contradicted);
    await expect(removal(definition)).rejects.toMatchObject({
      code: "precondition_failed",
      message: expect.stringContaining("Objects are, or may be, stored as v1beta1"),
    });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
  },
);

// With recordedProof in unprovenShrink (unproven-shrink.ts) the state is "current", and the removal makes all objects unreadable.
test("a claim that comes first doesn't excuse a version that vanishes from storedVersions afterwards", async () => {
  const definition = await stale(OBJECTS);
  const fleet = fleetOf(connection);
  onTestFinished(() => fleet.stop());
  await fleet.listed(soon());
  await unserve(definition);
  const { record } = await forgedProof(bench, definition, OBJECTS);
  await writeRecord(api, definition, record, "kubectl");
  await seen(definition, record);
  await api.mergePatch(status(definition), { status: { storedVersions: ["v1"] } });
  await expect.poll(() => fleet.crd(definition.name)?.storedVersions).toEqual(["v1"]);
  expect(await detail(definition)).toMatchObject({ state: "blocked", shrankWithoutProof: ["v1beta1"] });
  await expect(removal(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});

// With any proof in failedUnproven (other-engines.ts) the state is "current", and the removal makes all objects unreadable.
test("a claim doesn't excuse the cluster's own engine for a migration that failed", async () => {
  const definition = await stale(OBJECTS);
  await unserve(definition);
  const read: { metadata: { generation?: number }; status: { conditions?: object[] } } = await definition.read();
  const failed = {
    ...{ type: "StorageMigrating", status: "False", reason: "MigrationFailed", message: "Migration m failed" },
    ...{ lastTransitionTime: new Date().toISOString(), observedGeneration: read.metadata.generation },
  };
  const conditions = [...(read.status.conditions ?? []), failed];
  await api.mergePatch(status(definition), { status: { storedVersions: ["v1"], conditions } });
  const { record } = await forgedProof(bench, definition, OBJECTS);
  await writeRecord(api, definition, record, "kubectl");
  await seen(definition, record);
  expect(await detail(definition)).toMatchObject({ state: "blocked", missingStoredVersions: ["v1beta1"] });
  await expect(removal(definition)).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
});
