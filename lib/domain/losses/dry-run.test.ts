import { expect, test } from "vitest";
import { type DryRun, describeLosses, dryRunRecord, unacceptedLosses } from "./dry-run.ts";
import type { Loss, LossKind } from "./losses.ts";

const loss = (kind: LossKind, path: string, objects = 1): Loss => ({ kind, path, objects, examples: [] });

test.each<[string, Loss[], boolean, string[]]>([
  ["dropped and changed fields", [loss("dropped", "spec.a"), loss("changed", "spec.b")], false, ["spec.a", "spec.b"]],
  ["dropped fields, even if ownership is kept", [loss("dropped", "spec.a")], true, ["spec.a"]],
  ["lost managedFields", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], false, ['metadata.managedFields[manager="x"]']],
  ["no lost managedFields where they are carried over", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], true, []],
  ["no defaults", [loss("defaulted", "spec.tier")], false, []],
  ["no value that is only written otherwise", [loss("equivalent", "spec.drain")], false, []],
])("a rewrite is held back by %s", (_, losses, keepOwnership, paths) => {
  expect(unacceptedLosses({ losses }, { keepOwnership }).map(({ path }) => path)).toEqual(paths);
});

test.each<[Loss[], string]>([
  [[], "nothing would be lost"],
  [[loss("dropped", "spec.a", 1)], "spec.a would be dropped in 1 object"],
  [[loss("equivalent", "spec.a", 2)], "spec.a would be rewritten the same in 2 objects"],
  [[loss("dropped", "spec.a", 2), loss("changed", "spec.b", 1_200)], "spec.b would change in 1,200 objects, and 1 more path"],
])("losses in a sentence: %#", (losses, sentence) => {
  expect(describeLosses(losses)).toBe(sentence);
});

test("the record keeps the list's resourceVersion and two objects of each loss, without their values", () => {
  const example = (name: string) => ({ namespace: "default", name, version: "v1beta1", before: '"secret"', after: null });
  const dryRun: DryRun = {
    ...{ id: "1", crd: "widgets.example.com", uid: "u", generation: 1, storageVersion: "v1", phase: "succeeded", startedBy: "alice" },
    ...{ startedAt: "2026-01-01T00:00:00Z", endedAt: "2026-01-01T00:01:00Z", sampleSize: 10, resourceVersion: "4711", checks: [] },
    dryRun: {
      ...{ total: 3, planned: 3, alreadyCurrent: 0, checked: 3, wouldPass: 3, wouldBeRejected: 0, gone: 0, cannotDryRun: 0 },
      ...{ rejections: [], cannot: [], generationRises: 0 },
    },
    losses: [{ kind: "dropped", path: "spec.a", objects: 3, examples: ["a", "b", "c"].map(example) }],
    ...{ moreLosses: 0, lossesKnown: true, lossesUnknownBecause: null, message: null },
  };
  const recorded = dryRunRecord(dryRun, "webhooks");
  expect(recorded).toMatchObject({
    resourceVersion: "4711",
    admission: "webhooks",
    losses: [{ objects: 3, examples: [{ name: "a" }, { name: "b" }] }],
  });
  expect(JSON.stringify(recorded)).not.toContain("secret");
});
