import { expect, test } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { type CountedTotal, countTotals, UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import { nextStep } from "#lib/domain/definition/next-step.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { relistStoredVersions } from "#lib/rewrite/commands/relist-stored-versions.ts";
import { putBackVersion } from "#lib/rewrite/spec-change/put-back-version.ts";
import { removeVersion } from "#lib/rewrite/spec-change/remove-version.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const { api, connection, flip, rewrite, stale, storedAs } = await openTestBench();

async function stateOf(definition: SampleDefinition) {
  const { crd } = await readCrd(connection, definition.name, soon());
  let counted: CountedTotal = UNCOUNTED;
  await countTotals(connection, [crd], { concurrency: 1, signal: soon() }, (_, total) => {
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

// Without noteLostVersion (start-fleet.ts) the version that was put back can be removed again, with the objects stored in it.
test("once it is put back, the definition stays blocked until a rewrite is proven, and it can't be removed again", async () => {
  const definition = await stale(2);
  // As if nobody had looked when the list was shortened.
  fleetOf(connection).stop();
  const status = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}/status`;
  await api.mergePatch(status, { status: { storedVersions: ["v1"] } });
  await flip(definition, [
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  const consent = { confirm: "v1beta1", acceptManagedFields: true } as const;
  await removeVersion(connection, definition.name, "v1beta1", consent, soon());
  const detail = () => readDetail(connection, definition.name, soon());
  const storageStep = async () => (await detail()).removals.find(({ version }) => version === "v1beta1")?.steps[2];
  await expect.poll(detail, { timeout: 10_000 }).toMatchObject({ state: "blocked", missingStoredVersions: ["v1beta1"] });
  expect(await detail()).toMatchObject({
    stateReason: expect.stringContaining("An object is stored as v1beta1, which spec.versions doesn't"),
  });
  expect(nextStep(await detail())).toMatchObject({
    step: "solve",
    refusal: expect.stringContaining("Put v1beta1 back into spec.versions"),
  });
  expect(await storageStep()).toMatchObject({ state: "refused", action: "restore" });

  await putBackVersion(connection, definition.name, "v1beta1", {}, soon());
  await expect.poll(async () => fleetOf(connection).total(definition.name), { timeout: 10_000 }).toMatchObject({ total: 2, basis: "list" });
  expect(await detail()).toMatchObject({ state: "blocked", missingStoredVersions: ["v1beta1"] });
  expect(nextStep(await detail())).toEqual({ step: "repair" });
  expect(await storageStep()).toMatchObject({ state: "ready", action: "restore" });
  await expect(removeVersion(connection, definition.name, "v1beta1", consent, soon())).rejects.toMatchObject({
    code: "precondition_failed",
  });

  await relistStoredVersions(connection, definition.name, ["v1beta1"], soon());
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ phase: "succeeded" });
  expect(await storedAs(definition)).toEqual({ v1: 2 });
  await expect.poll(detail).toMatchObject({ state: "prunable", missingStoredVersions: [] });
});
