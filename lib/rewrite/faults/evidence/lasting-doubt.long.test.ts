import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { countObjects } from "#lib/cluster/objects/object-counts.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { changeVersion } from "#lib/rewrite/spec-change/change-version.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";

// A doubt must outlast the annotation that holds it, which anyone who may patch the definition can replace.

const { api, cluster, connection, dryRun, rewrite, stale, storedAs } = await openTestBench();
const LONG = 120_000;

interface Doubted {
  definition: SampleDefinition;
  /** The record before the rewrite that left the doubt. */
  before: RewriteRecord;
  /** Lets the object be rewritten. */
  lift(): Promise<void>;
}

/** Pruned; then one object was at v1beta1 in etcd again, and a rewrite of every object could not verify it. */
async function doubted(): Promise<Doubted> {
  const definition = await stale(3, { spec: (index) => ({ frozen: index === 0 }) });
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await pruneStoredVersions(connection, definition.name, definition.name, soon());
  const before = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  await definition.setVersions([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  const { lift } = await denyUpdatesOfFrozen(api, definition);
  const run = await rewrite(definition, { verify: "every-object", acceptUnseen: true });
  expect(run).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
  return { definition, before, lift };
}

async function annotate({ name }: SampleDefinition, record: unknown, manager: string): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}?fieldManager=${manager}`;
  const text = record === null ? null : JSON.stringify(record);
  await api.mergePatch(path, { metadata: { annotations: { "crdshift.dev/rewrite": text } } });
}

/** The record as a newer crdshift may write it: one phase of it is unknown here. */
async function unreadable(definition: SampleDefinition): Promise<object> {
  const record = await readRecord(definition);
  return { ...record, runs: record.runs.map((run) => ({ ...run, phase: "rewriting-in-parallel" })) };
}

const crdNow = async (definition: SampleDefinition): Promise<Crd> => (await readCrd(connection, definition.name, soon())).crd;
const detail = (definition: SampleDefinition) => readDetail(connection, definition.name, soon());
const removal = (definition: SampleDefinition) =>
  removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1", acceptManagedFields: true }, soon());

async function expectBlocked(definition: SampleDefinition, because: string): Promise<void> {
  const isShown = async () => (await detail(definition)).resourceVersion === (await crdNow(definition)).resourceVersion;
  await expect.poll(isShown).toBe(true);
  expect(await detail(definition)).toMatchObject({ state: "blocked", stateReason: expect.stringContaining(because) });
  await expect(removal(definition)).rejects.toMatchObject({ message: expect.stringContaining(because) });
  expect(await storedAs(definition)).toEqual({ v1: 2, v1beta1: 1 });
}

// Without rememberedDoubt (crd-from-json.ts) the state is "current", and the removal makes the object unreadable.
test("a doubt outlasts an older record that is put back, a removed one, and a dry run", { timeout: LONG }, async () => {
  const { definition, before, lift } = await doubted();
  const because = "could not verify 1 object";
  await expectBlocked(definition, because);
  await annotate(definition, before, "argocd-controller");
  await expectBlocked(definition, because);
  expect(await dryRun(definition)).toMatchObject({ phase: "succeeded" });
  // The annotation says it again, for other crdshifts and for this one after a restart.
  expect(await readRecord(definition)).toMatchObject({ doubt: { rejected: 1 } });
  await annotate(definition, null, "kubectl");
  await expectBlocked(definition, because);
  await lift();
  expect(await rewrite(definition, { verify: "every-object", acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  expect(await detail(definition)).toMatchObject({ state: "current" });
  expect(await readRecord(definition)).toMatchObject({ doubt: null });
  await removal(definition);
  expect(await storedAs(definition)).toEqual({ v1: 3 });
});

// Without unreadableRecord in crdState (crd-state.ts) the state is "current"; in specChangeRefusal (version-change-refusal.ts) the removal
// makes the object unreadable.
test("a record that can't be read blocks the definition and each change of its spec", { timeout: LONG }, async () => {
  const { definition } = await doubted();
  const newer = await unreadable(definition);
  await annotate(definition, newer, "crdshift");
  await expectBlocked(definition, "can't read the annotation");
  const remedy = {
    nextStep: expect.stringContaining(`kubectl annotate customresourcedefinition ${definition.name} crdshift.dev/rewrite-`),
  };
  await expect(removal(definition)).rejects.toMatchObject(remedy);
  await expect(changeVersion(connection, definition.name, "v1beta1", { served: true }, soon())).rejects.toMatchObject(remedy);
  await annotate(definition, null, "kubectl");
  await expectBlocked(definition, "could not verify 1 object");
});

// Without unreadableRecord in updateRecord (update-record.ts) an almost empty record takes its place.
test("no write of the record replaces one that can't be read", async () => {
  const definition = await stale(1);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await annotate(definition, await unreadable(definition), "crdshift");
  const annotation = async () => (await definition.read()).metadata.annotations?.["crdshift.dev/rewrite"];
  const before = await annotation();
  const write = updateRecord(connection, definition.name, (_, record) => ({ ...record, holder: "somebody" }), soon());
  await expect(write).rejects.toMatchObject({ code: "precondition_failed" });
  expect(await annotation()).toBe(before);
});

// Without doubtOf (isDeclarationTrusted in basis-of-bounds.ts) v1beta1 is declared to be empty, and etcd has 1 object there.
test("counts don't take a list in doubt at its word", { timeout: LONG }, async () => {
  const { definition } = await doubted();
  const counts = async () => (await Array.fromAsync(countObjects(connection, await crdNow(definition), soon()))).at(-1)?.versions;
  const unknown = [
    { name: "v1", stored: { atLeast: 0, atMost: 3, basis: "none" } },
    { name: "v1beta1", stored: { atLeast: 0, atMost: 3, basis: "none" } },
  ];
  expect(await counts()).toMatchObject(unknown);
  await annotate(definition, await unreadable(definition), "crdshift");
  expect(await counts()).toMatchObject(unknown);
  expect(await storedAs(definition)).toEqual({ v1: 2, v1beta1: 1 });
});
