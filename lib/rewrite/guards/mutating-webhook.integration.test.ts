import { expect, test } from "vitest";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

const bench = await openTestBench();
const { cluster, api, stale, dryRun, rewrite } = bench;

/** Only the first object holds a note. */
const spec = (index: number) => (index === 0 ? { note: "precious" } : { size: index });

const noteOf = async (definition: SampleDefinition) => {
  const { specText = "" } = (await definition.storedValues(cluster.etcd)).get(objectName(0)) ?? {};
  return specText.includes("precious");
};

// Without the storage version in loss-refusal.ts the note is gone.
test("what a mutating webhook would take from an object outside the sample stays", async () => {
  const definition = await stale(12, { spec });
  await removeNotes(api, definition);
  let tried = await dryRun(definition, { sampleSize: 1 });
  for (let again = 0; tried.losses.length > 0 && again < 20; again += 1) tried = await dryRun(definition, { sampleSize: 1 });
  expect(tried).toMatchObject({ losses: [], lossesKnown: true, dryRun: { checked: 1 } });
  const run = await rewrite(definition);
  expect(run).toMatchObject({ phase: "unproven", counts: { rewritten: 11, rejected: 1 } });
  expect(run.rejections).toEqual([
    expect.objectContaining({ reason: "WouldLose", message: expect.stringContaining("spec.note would be dropped") }),
  ]);
  expect(await noteOf(definition)).toBe(true);
});

// Without mayBelieve (loss-guard.ts) a dry run of all objects is believed.
test("what a mutating webhook would take that was installed after a dry run of all objects stays", async () => {
  const definition = await stale(3, { spec });
  expect(await dryRun(definition)).toMatchObject({ losses: [], lossesKnown: true, dryRun: { checked: 3 } });
  await removeNotes(api, definition);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rewritten: 2, rejected: 1 } });
  expect(await noteOf(definition)).toBe(true);
});

// Without the admission in provenGuard (loss-guard.ts) the proof is believed, and the object below the settle point is patched.
test("what a mutating webhook would take that was installed after the proof stays", async () => {
  const definition = await stale(0);
  await definition.createObjects("v1", 3, spec);
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded", counts: { alreadyCurrent: 3 } });
  await removeNotes(api, definition);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", counts: { rejected: 1 } });
  expect(await noteOf(definition)).toBe(true);
});
