import { expect, test } from "vitest";
import { olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const { apply, cluster, define, flip, rewrite } = await openTestBench(olderRelease);
const OBJECTS = 5;

// Up to 1.36, a write empties managedFields whose version has a schema that the values don't fit any more. Without the dry run for entries of
// the storage version (keep-ownership.ts), one object after the other was emptied, and then rejected.
test.each(["v1", "v1beta1"])("a rewrite that keeps ownership leaves objects alone whose entries of %s it can't keep", async (version) => {
  const size = { type: "string" };
  const old = { size, note: { type: "boolean" } };
  const definition = await define([
    { name: "v1beta1", storage: true, properties: old },
    { name: "v1", properties: old },
  ]);
  for (let index = 0; index < OBJECTS; index += 1)
    await apply(definition, version, objectName(index), "gitops", { size: "large", note: true });
  await flip(definition, [
    { name: "v1", storage: true, properties: { size, note: { type: "string" } } },
    { name: "v1beta1", properties: old },
  ]);
  expect(await rewrite(definition, { keepOwnership: true })).toMatchObject({
    phase: "unproven",
    counts: { rewritten: 0, rejected: OBJECTS },
    rejections: [{ reason: "OwnershipLost", message: expect.stringContaining("Its managedFields can't be carried over") }],
  });
  for (const { apiVersion, metadata } of (await definition.storedValues(cluster.etcd)).values()) {
    expect([apiVersion, metadata.managedFields?.map(({ manager }) => manager)]).toEqual([`${definition.group}/v1beta1`, ["gitops"]]);
  }
});
