import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { cleanManagedFields } from "#lib/rewrite/managed-fields/clean-managed-fields.ts";
import { faultTest, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { removeNotes } from "#lib/rewrite/testing/webhooks/remove-notes.ts";

const { cluster, api, connection, stale, rewrite } = await openTestBench();

// Without admission (clean-objects.ts) the proof is believed, and all five notes are gone.
test("cleaning leaves objects alone that a mutating webhook would take a field from, which was installed after the proof", async () => {
  const definition = await stale(6, { spec: (index) => (index === 5 ? { size: 1 } : { note: "precious" }) });
  expect(await rewrite(definition)).toMatchObject({ phase: "succeeded" });
  await removeNotes(api, definition);
  const { crd } = await readCrd(connection, definition.name, soon());
  let cleaning: Cleaning | null = null;
  for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, soon())) cleaning = now;
  expect(cleaning).toMatchObject({
    ...{ complete: true, cleaned: 1, rejected: 5 },
    rejections: [{ reason: "WouldLose", message: expect.stringContaining("spec.note would be dropped") }],
  });
  const stored = [...(await definition.storedValues(cluster.etcd)).values()];
  expect(stored.filter(({ specText }) => specText.includes("precious"))).toHaveLength(5);
});

// Without unchecked and close (clean-objects.ts) all notes are gone, and nobody is told.
faultTest(
  "a mutating webhook installed while cleaning has writes under way is told, with how many objects it may concern",
  async (bench) => {
    const { connection, proxy, cluster } = bench;
    const definition = await bench.stale(3, { spec: () => ({ note: "precious" }) });
    expect(await bench.rewrite(definition)).toMatchObject({ phase: "succeeded" });
    const { crd } = await readCrd(connection, definition.name, soon());
    const held = proxy.hold(patchOf(definition), "before", Number.POSITIVE_INFINITY);
    const clean = async () => {
      let last: Cleaning | null = null;
      for await (const now of cleanManagedFields(connection, crd, { versions: ["v1beta1"] }, AbortSignal.timeout(60_000))) last = now;
      return last;
    };
    const ended = clean();
    await held.reached;
    await removeNotes(bench.api, definition);
    held.release();
    expect(await ended).toMatchObject({
      complete: true,
      cleaned: 3,
      warning: expect.stringContaining("Up to 3 objects written in that time"),
    });
    const stored = [...(await definition.storedValues(cluster.etcd)).values()];
    expect(stored.filter(({ specText }) => specText.includes("precious"))).toEqual([]);
  },
);
