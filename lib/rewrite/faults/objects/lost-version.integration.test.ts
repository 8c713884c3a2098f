import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { type CountedTotal, countTotals, UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { soon, testCluster } from "#lib/rewrite/testing/test-cluster.ts";

const { api, connection, rewrite, stale, storedAs } = await testCluster();

async function stateOf(definition: SampleDefinition) {
  const { crd } = await readCrd(connection, definition.name, soon());
  let counted: CountedTotal = UNCOUNTED;
  await countTotals(connection, [crd], soon(), (_, total) => {
    counted = total;
  });
  return crdState(crd, counted, Date.now());
}

// Without lostVersionIn (object-totals.ts and crd-state.ts) the state is "current".
test("an object stored in a version that the spec has lost blocks the definition, and says what to put back", async () => {
  const definition = await stale(2);
  const status = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`;
  await api.mergePatch(status, { status: { storedVersions: ["v1"] } });
  await definition.setVersions([{ name: "v1", storage: true }]);
  // For a moment the API server still serves with the old spec.
  await expect
    .poll(() => stateOf(definition))
    .toMatchObject({
      state: "blocked",
      reason: expect.stringContaining("Put v1beta1 back into spec.versions, then rewrite with every object verified."),
    });
  expect(await storedAs(definition)).toEqual({ v1beta1: 2 });
  await definition.setVersions([{ name: "v1", storage: true }, { name: "v1beta1" }]);
  await expect.poll(() => stateOf(definition)).toMatchObject({ state: "current" });
  expect(await rewrite(definition, { verify: "every-object" })).toMatchObject({ phase: "succeeded" });
  expect(await storedAs(definition)).toEqual({ v1: 2 });
});
