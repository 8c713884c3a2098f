import { expect, test } from "vitest";
import type { DryRun } from "./dry-run.ts";
import { dryRunRecord } from "./dry-run-record.ts";

test("the record keeps the list's resourceVersion and two objects of each loss, without their values", () => {
  const example = (name: string) => ({ namespace: "default", name, version: "v1beta1", before: '"secret"', after: null });
  const dryRun: DryRun = {
    ...{ id: "1", crd: "widgets.example.com", uid: "u", generation: 1, storageVersion: "v1", phase: "succeeded", startedBy: "alice" },
    ...{ startedAt: "2026-01-01T00:00:00Z", endedAt: "2026-01-01T00:01:00Z", sampleSize: 10, resourceVersion: "4711", checks: [] },
    dryRun: {
      ...{ total: 3, planned: 3, alreadyCurrent: 0, checked: 3, onlyRead: 0, wouldPass: 3, wouldBeRejected: 0, gone: 0, cannotDryRun: 0 },
      ...{ rejections: [], cannot: [], generationRises: 0 },
    },
    losses: [{ kind: "dropped", path: "spec.a", objects: 3, examples: ["a", "b", "c"].map(example) }],
    ...{ moreLosses: 0, lossesKnown: true, lossesUnknownBecause: null, unknownMayPass: false, message: null },
  };
  const recorded = dryRunRecord(dryRun, { admission: "webhooks", settled: true });
  expect(recorded).toMatchObject({
    resourceVersion: "4711",
    admission: "webhooks",
    losses: [{ objects: 3, examples: [{ name: "a" }, { name: "b" }] }],
  });
  expect(JSON.stringify(recorded)).not.toContain("secret");
});
