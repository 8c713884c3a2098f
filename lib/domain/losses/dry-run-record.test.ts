import { expect, test } from "vitest";
import { lossVerdict } from "#lib/domain/rewrite/loss-verdict.ts";
import type { DryRun } from "./dry-run.ts";
import { dryRunRecord } from "./dry-run-record.ts";

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

test("the record keeps the list's resourceVersion and two objects of each loss, without their values", () => {
  const recorded = dryRunRecord(dryRun, { admission: "webhooks", settled: true });
  expect(recorded).toMatchObject({
    resourceVersion: "4711",
    admission: "webhooks",
    losses: [{ objects: 3, examples: [{ name: "a" }, { name: "b" }] }],
  });
  expect(JSON.stringify(recorded)).not.toContain("secret");
});

// Without gone (dry-run-record.ts) a sample of which each object was deleted meanwhile tells that the others would lose nothing.
test("the record counts no object that was deleted before the dry run reached it", () => {
  const counts = { ...dryRun.dryRun, total: 60, checked: 2, wouldPass: 0, gone: 2 };
  const recorded = dryRunRecord({ ...dryRun, dryRun: counts, losses: [] }, { admission: "", settled: true });
  expect(recorded).toMatchObject({ total: 58, checked: 0 });
  expect(lossVerdict(recorded).kind).toBe("unknown");
});
