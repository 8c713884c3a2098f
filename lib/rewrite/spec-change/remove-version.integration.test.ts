import { expect, test } from "vitest";
import { readDetail } from "#lib/cluster/definitions/read-detail.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { removeVersion } from "./remove-version.ts";

const bench = await openTestBench();
const { connection, api } = bench;

const remove = (definition: SampleDefinition) =>
  removeVersion(connection, definition.name, "v1beta1", { confirm: "v1beta1", acceptManagedFields: true }, soon());
const setStored = (definition: SampleDefinition, storedVersions: string[]) =>
  api.mergePatch(
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`,
    { status: { storedVersions } },
    { subresource: "status" },
  );
const unreadable = { code: "precondition_failed", message: expect.stringContaining("would make them unreadable") };

test("a version in which objects may still be stored can't be removed, whatever storedVersions says", async () => {
  const definition = await bench.define(beforeFlip);
  await definition.createObjects("v1beta1", 1);
  await bench.flip(definition, [
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
  ]);
  // The fleet sees the list shrink without a proof.
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).storedVersions).toEqual(["v1beta1", "v1"]);
  await setStored(definition, ["v1"]);
  await expect.poll(async () => (await readDetail(connection, definition.name, soon())).shrankWithoutProof).toEqual(["v1beta1"]);

  await expect(remove(definition)).rejects.toMatchObject(unreadable);
});

// Without untrustedListRefusal (version-change-refusal.ts) it is removed.
test.each([
  ["that lists one version twice", ["v1", "v1"]],
  ["without the storage version", ["v1alpha1"]],
])("nor can one while the API server has a list %s", async (_, storedVersions) => {
  const definition = await bench.define([
    { name: "v1", storage: true },
    { name: "v1beta1", served: false },
    { name: "v1alpha1", served: false },
  ]);
  await setStored(definition, storedVersions);
  await expect(remove(definition)).rejects.toMatchObject(unreadable);
  await setStored(definition, ["v1"]);
  await expect(remove(definition)).resolves.toMatchObject({ storedVersions: ["v1"] });
});
