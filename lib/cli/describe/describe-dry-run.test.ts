import { expect, test } from "vitest";
import type { DryRun } from "#lib/contract/rewrite/dry-run.ts";
import { describeDryRun } from "./describe-dry-run.ts";

const group = { reason: "Invalid", message: "size must not change", count: 1, examples: [{ namespace: "", name: "one" }] };
const dryRun: DryRun = {
  ...{ id: "dry-run-1", crd: "crontabs.example.com", uid: "u", generation: 1, storageVersion: "v1", phase: "succeeded" },
  ...{
    startedBy: "alice",
    startedAt: "2026-01-02T11:58:00.000Z",
    endedAt: "2026-01-02T11:59:00.000Z",
    sampleSize: 10_000,
    resourceVersion: null,
  },
  checks: [{ name: "permissions", status: "pass", message: "Everything is allowed." }],
  dryRun: {
    ...{
      total: 1_200,
      planned: 1_200,
      alreadyCurrent: 0,
      checked: 1_200,
      onlyRead: 0,
      wouldPass: 1_199,
      wouldBeRejected: 1,
      gone: 0,
      cannotDryRun: 0,
    },
    ...{ rejections: [group], cannot: [], generationRises: 7 },
  },
  losses: [
    { kind: "defaulted", path: "spec.mode", objects: 1_200, examples: [] },
    {
      kind: "dropped",
      path: "spec.legacy",
      objects: 4,
      examples: [{ namespace: "east", name: "two", version: null, before: null, after: null }],
    },
  ],
  ...{ moreLosses: 2, lossesKnown: true, lossesUnknownBecause: null, unknownMayPass: false, message: null },
};

test("shows the checks, the rejections and the losses, worst first", () => {
  const text = describeDryRun(dryRun);
  expect(text).toMatch(/^CHECK +STATUS +MESSAGE\npermissions +pass +Everything is allowed\.$/m);
  expect(text).toMatch(/^Tried: +1,200 of 1,200$/m);
  expect(text).toMatch(/^LOSS +OBJECTS +PATH +EXAMPLE\ndropped +4 +spec\.legacy +east\/two\nadded +1,200 +spec\.mode\nand 2 more paths/m);
  expect(text).toContain("1 object would be rejected, Invalid: size must not change\n  one");
});

// Without sample (describe-dry-run.ts) the objects of a sample are told as all.
test("says that the objects of a sample are the least there are", () => {
  const text = describeDryRun({ ...dryRun, dryRun: { ...dryRun.dryRun, total: 12_000 } });
  expect(text).toMatch(/^LOSS +OBJECTS \(AT LEAST\) +PATH +EXAMPLE\ndropped +4 +spec\.legacy/m);
  expect(text).toMatch(/^Sample: 1,200 of 12,000 checked$/m);
});

test("shows the values of an example, before and after", () => {
  const example = { namespace: "east", name: "two", version: "v1beta1" };
  const text = describeDryRun({
    ...dryRun,
    losses: [
      { kind: "equivalent", path: "spec.drain", objects: 541, examples: [{ ...example, before: '"90s"', after: '"1m30s"' }] },
      { kind: "dropped", path: "spec.legacy", objects: 4, examples: [{ ...example, before: '{"a":1.0}', after: null }] },
      { kind: "defaulted", path: "spec.mode", objects: 2, examples: [{ ...example, before: null, after: '"fast"' }] },
    ],
  });
  expect(text).toMatch(/^LOSS +OBJECTS +PATH +EXAMPLE +VALUE$/m);
  expect(text).toMatch(/^dropped +4 +spec\.legacy +east\/two +\{"a":1\.0\}$/m);
  expect(text).toMatch(/^added +2 +spec\.mode +east\/two +"fast"$/m);
  expect(text).toMatch(/^rewritten the same +541 +spec\.drain +east\/two +"90s" → "1m30s"$/m);
});

test("starts with the same verdict as the page", () => {
  expect(describeDryRun(dryRun)).toMatch(
    /^1 of 1,200 objects tried would be rejected\. spec\.legacy would be dropped in 4 objects \(2 more paths not listed\)\. Nothing was stored\.$/m,
  );
  expect(describeDryRun({ ...dryRun, phase: "failed", message: "No route." })).toMatch(
    /^The dry run failed; .* No route\. Nothing was stored\.$/m,
  );
});

test("leaves names from the cluster alone, even if they look like options", () => {
  const named = {
    kind: "dropped" as const,
    path: "spec.throughStatus",
    objects: 4,
    examples: [{ namespace: "team", name: "acceptLosses", version: null, before: null, after: null }],
  };
  expect(describeDryRun({ ...dryRun, losses: [named] })).toMatch(/^dropped +4 +spec\.throughStatus +team\/acceptLosses$/m);
});

test("shows unknown losses as unknown, with the reason", () => {
  const text = describeDryRun({ ...dryRun, losses: [], lossesKnown: false, lossesUnknownBecause: "v1beta1 is not served." });
  expect(text).toMatch(/^Losses: +unknown\. v1beta1 is not served\.$/m);
  expect(text).not.toContain("LOSS");
});
