import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { type DryRun, type DryRunPhase, describeLosses, dryRunRecord, dryRunStanding, unacceptedLosses } from "./dry-run.ts";
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
  [
    [loss("dropped", "spec.a", 2), loss("changed", "spec.b", 1_200)],
    "spec.b would change in 1,200 objects, and 1 other path would be affected",
  ],
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

const one = (phase: DryRunPhase, id = "one", startedAt = "2026-01-02T12:00:00.000Z") => ({ id, phase, startedAt });
const nothing = { dryRun: null, run: null };
const proven = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:30:00.000Z", dryRun: "one" });

test("there is none only if none is known", () => {
  expect(dryRunStanding([], nothing)).toEqual({ running: null, latest: { kind: "none" } });
});

test("a running one is shown beside what the definition records", () => {
  expect(dryRunStanding([one("running", "two"), one("succeeded")], { ...nothing, dryRun: { id: "one" } })).toEqual({
    ...{ running: one("running", "two"), latest: { kind: "recorded" } },
  });
});

test("one that the definition records has ended, whatever the list still says", () => {
  expect(dryRunStanding([one("running")], { ...nothing, dryRun: { id: "one" } }).running).toBeNull();
});

test.each(["cancelled", "failed", "succeeded"] as const)("a %s one that the definition does not record is still one", (phase) => {
  expect(dryRunStanding([one(phase)], nothing).latest).toEqual({ kind: "unrecorded", dryRun: one(phase) });
});

test("a proof supersedes earlier ones, not later ones", () => {
  expect(dryRunStanding([one("succeeded")], { dryRun: null, run: proven }).latest).toEqual({ kind: "superseded", id: "one" });
  const later = one("cancelled", "two", "2026-01-02T13:00:00.000Z");
  expect(dryRunStanding([later, one("succeeded")], { dryRun: null, run: proven }).latest).toEqual({ kind: "unrecorded", dryRun: later });
});
