import { expect, onTestFinished, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";

// From Kubernetes 1.37 on, objects in a namespace that is gone can be updated.
const { api, define, flip, rewrite, storedAs } = await openTestBench(olderRelease);

const OBJECTS = 6;

// Without meaningOf (meaning-of.ts) the first counts as gone, so that the run is proven, and the second stops the run.
test.each([
  { what: "named like its namespace", namespace: "tenant-a", name: "tenant-a" },
  { what: "of another name", namespace: "tenant-b", name: "other" },
])("an object $what is rejected when that namespace is gone: admission answers 404 for the namespace", async ({ namespace, name }) => {
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const [kept, namespaces] = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }, "/api/v1/namespaces"];
  await api.create(namespaces, kept);
  await api.create(definition.path("v1beta1", { namespace, name: "" }), {
    ...{ apiVersion: `${definition.group}/v1beta1`, kind: "Widget", metadata: { name }, spec: {} },
  });
  await api.delete(`${namespaces}/${namespace}`);
  await api.request("PUT", `${namespaces}/${namespace}/finalize`, { ...kept, spec: { finalizers: [] } });
  await flip(definition, afterFlip);
  onTestFinished(async () => void (await api.delete(definition.path("v1", { namespace, name }))));
  const ended = await rewrite(definition, { acceptUnseen: true });
  expect(ended).toMatchObject({ phase: "unproven", counts: { rewritten: OBJECTS, gone: 0, rejected: 1 } });
  expect(ended.rejections).toEqual([expect.objectContaining({ examples: [{ namespace, name }] })]);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS, v1beta1: 1 });
});
