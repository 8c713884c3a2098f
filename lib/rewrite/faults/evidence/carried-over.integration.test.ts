import { expect, test } from "vitest";
import { putIntoEtcd } from "#lib/local-cluster/etcd.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { readRecord } from "#lib/rewrite/testing/hold-elsewhere.ts";
import { openTestBench } from "#lib/rewrite/testing/open-test-bench.ts";

const { cluster, define, flip, apply, rewrite, storedAs } = await openTestBench();
const OBJECTS = 3;
const carriesOver = { keepOwnership: true, verify: "every-object" } as const;

/** Its objects are proven, and name a version in managedFields that is gone. Returns the old value of the first one. */
async function provenWithGoneEntries(): Promise<{ definition: SampleDefinition; old: string }> {
  const definition = await define([{ name: "v1alpha1" }, { name: "v1beta1", storage: true }, { name: "v1" }]);
  for (let index = 0; index < OBJECTS; index += 1) await apply(definition, "v1alpha1", objectName(index), "owner", { size: index });
  const old = (await definition.storedValues(cluster.etcd)).get(objectName(0))?.text ?? "";
  await flip(definition, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  return { definition, old };
}

// Without wasCurrent (keep-ownership.ts) the proof is withdrawn, the run waits again, and its cancel leaves the definition blocked.
test("entries carried over in objects that are proven current disprove nothing", async () => {
  const { definition } = await provenWithGoneEntries();
  const { settlePoint } = await readRecord(definition);
  const done = await rewrite(definition, carriesOver);
  expect(done).toMatchObject({ phase: "succeeded", ownership: { kept: OBJECTS, lost: 0 } });
  expect(await readRecord(definition)).toMatchObject({ settlePoint, doubt: null });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

test("an object above the settle point that is stored at an older version is found all the same", async () => {
  const { definition, old } = await provenWithGoneEntries();
  const { settlePoint } = await readRecord(definition);
  await putIntoEtcd(cluster.etcd, `/registry/${definition.group}/widgets/default/${objectName(0)}`, old);
  expect(await rewrite(definition, carriesOver)).toMatchObject({ phase: "succeeded" });
  const proven = await readRecord(definition);
  expect(Number(proven.settlePoint?.resourceVersion)).toBeGreaterThan(Number(settlePoint?.resourceVersion));
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});
