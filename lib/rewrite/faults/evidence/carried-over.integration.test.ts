import { beforeEach, expect, test } from "vitest";
import { emptiesManagedFields } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";
import { readRecord } from "#lib/rewrite/testing/record/hold-elsewhere.ts";

const plain = await openTestBench();
const { cluster, rewrite, storedAs } = plain;
const OBJECTS = 3;

beforeEach(({ skip }) => skip(emptiesManagedFields(cluster.kubernetes), "This release empties them."));
const carriesOver = { keepOwnership: true, verify: "every-object" } as const;

/** Its objects are proven, and name a version in managedFields that is gone. Returns the old value of the first one. */
async function provenWithGoneEntries({ define, flip, apply, rewrite }: TestBench): Promise<{ definition: SampleDefinition; old: string }> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < OBJECTS; index += 1) await apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  return { definition, old };
}

// Without wasCurrent (keep-ownership.ts) the proof is withdrawn, the run waits again, and its cancel leaves the definition blocked.
test("entries carried over in objects that are proven current disprove nothing", async () => {
  const { definition } = await provenWithGoneEntries(plain);
  const { settlePoint } = await readRecord(definition);
  const done = await rewrite(definition, carriesOver);
  expect(done).toMatchObject({ phase: "succeeded", ownership: { kept: OBJECTS, lost: 0 } });
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

test("an object above the settle point that is stored at an older version is found all the same", async () => {
  const { definition, old } = await provenWithGoneEntries(plain);
  const { settlePoint } = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  expect(await rewrite(definition, carriesOver)).toMatchObject({ phase: "succeeded" });
  const proven = await readRecord(definition);
  expect(Number(proven.settlePoint?.resourceVersion)).toBeGreaterThan(Number(settlePoint?.resourceVersion));
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

// Without noteChanged (carriedOver in rewrite-object.ts) proof and settle point outlive the object that disproves them.
faultTest("what the plain write finds counts, even if the run is cancelled before the entries are carried over", async (bench) => {
  const { definition, old } = await provenWithGoneEntries(bench);
  const { settlePoint } = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  const carries = bench.proxy.hold((sent) => patchOf(definition)(sent) && sent.body.includes("managedFields"), "before", OBJECTS);
  const { id } = await bench.start(definition, carriesOver);
  await expect.poll(async () => (await readRecord(definition)).proof, { timeout: 30_000 }).toBeNull();
  expect(await cancelRewrite(bench.connection, definition.name, id, soon())).toMatchObject({ phase: "cancelled" });
  carries.release();
  expect(settlePoint).not.toBeNull();
  expect(await readRecord(definition)).toMatchObject({ proof: null, settlePoint: null, doubt: { rejected: 0 } });
});
