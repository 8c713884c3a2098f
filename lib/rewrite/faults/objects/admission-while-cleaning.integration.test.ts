import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { Cleaning } from "#lib/contract/objects/managed-fields.ts";
import { cleanManagedFields } from "#lib/rewrite/commands/clean-managed-fields.ts";
import { removeNotes } from "#lib/rewrite/testing/remove-notes.ts";
import { soon, testCluster } from "#lib/rewrite/testing/test-cluster.ts";

const { cluster, api, connection, stale, rewrite } = await testCluster();

// Without admissionNow (clean-managed-fields.ts) the proof is believed, and all five notes are gone.
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
