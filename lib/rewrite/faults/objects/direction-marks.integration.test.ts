import { expect } from "vitest";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import type { SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { pruneStoredVersions } from "#lib/rewrite/commands/prune-stored-versions.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";

const versions = (storage: string): SampleVersion[] => [
  { name: "v1", storage: storage === "v1", properties: { size: { type: "integer" } } },
  { name: "v1beta1", storage: storage === "v1beta1" },
];

// Without quoted (field-path.ts) the accepted path never equals the loss, and the rewrite is held back however often it is accepted.
faultTest("losses of fields whose names turn the text's direction are told apart, accepted, and proven", async (faults) => {
  const definition = await faults.stale(3, {
    spec: (index) => ({ size: index, ...(index === 0 ? { "a\u200eb": "x" } : { "a\u200fb": "y" }) }),
    versions: { before: versions("v1beta1"), after: versions("v1") },
  });
  const dryRun = await faults.dryRun(definition);
  const [right, left] = ['spec["a\\u200fb"]', 'spec["a\\u200eb"]'];
  expect(dryRun.losses.map(({ path, objects }) => [path, objects])).toEqual([
    [right, 2],
    [left, 1],
  ]);
  const run = await faults.rewrite(definition, { acceptLosses: true, dryRun: dryRun.id });
  const paths = run.acceptedLosses?.losses.map(({ path }) => path);
  expect([run.phase, run.statusReason, run.dryRun, paths]).toEqual(["succeeded", null, dryRun.id, [right, left]]);
  const { crd } = await readCrd(faults.connection, definition.name, soon());
  expect(crd.claims).toEqual({ proof: false, settlePoint: false, dryRun: false });
  expect((await pruneStoredVersions(faults.connection, definition.name, definition.name, soon())).storedVersions).toEqual(["v1"]);
});
