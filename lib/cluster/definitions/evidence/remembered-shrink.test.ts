import { afterEach, expect, test } from "vitest";
import type { Crd, CrdCondition } from "#lib/domain/definition/crd.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { provenCrd, sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { forgetDefinition } from "./per-definition.ts";
import { lostVersions, noteLostVersion, noteShrink, rememberedShrink } from "./remembered-shrink.ts";

const here = { server: "https://here:6443" };
const now = Date.parse("2026-01-02T12:00:10.000Z");
const delegation: Run["delegation"] = {
  ...{ migration: "m", phase: "failed", message: "", left: null, startedAt: null, endedAt: null },
  ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
};
const told = (changes: Partial<Run> = {}) =>
  sampleCrd({ storedVersions: ["v1"], record: sampleRecord({ runs: [sampleRun({ phase: "failed", delegation, ...changes })] }) });
const shrunk = sampleCrd({ storedVersions: ["v1"] });
afterEach(() => forgetDefinition(here, shrunk.uid));

test("what a run's record names is kept whatever record comes after it, also a claimed proof", () => {
  noteShrink(here, told(), now);
  const claimed = { ...provenCrd({ storedVersions: ["v1"] }), claims: { proof: true, settlePoint: false, dryRun: false } };
  for (const crd of [shrunk, { ...shrunk, record: "unreadable" as const }, told({ phase: "succeeded" }), claimed]) {
    noteShrink(here, crd, now);
    expect(rememberedShrink(here, crd)).toEqual(["v1beta1"]);
  }
  expect(rememberedShrink({ server: "https://clone:6443" }, shrunk)).toEqual([]);
});

const succeeded: CrdCondition = {
  ...{ type: "StorageMigrating", status: "False" as const, reason: "MigrationSucceeded", observedGeneration: 2 },
  message: "The migration has succeeded and the stored versions have been updated",
};

test.each<{ when: string; crd: Crd }>([
  { when: "it is listed again", crd: sampleCrd() },
  { when: "a proof holds", crd: provenCrd({ storedVersions: ["v1"] }) },
  { when: "the engine says that it succeeded", crd: { ...shrunk, conditions: [...shrunk.conditions, succeeded] } },
  { when: "it has left the spec", crd: { ...shrunk, versions: [sampleVersion("v1", { storage: true })] } },
])("it is forgotten once $when", ({ crd }) => {
  noteShrink(here, told(), now);
  expect(rememberedShrink(here, crd)).toEqual([]);
  noteShrink(here, crd, now);
  expect(rememberedShrink(here, shrunk)).toEqual([]);
});

test("a run that is still at work tells of nothing yet", () => {
  const live = told({ phase: "rewriting", renewedAt: new Date(now).toISOString() });
  noteShrink(here, live, now);
  expect(rememberedShrink(here, shrunk)).toEqual([]);
  noteShrink(here, live, now + 60_000);
  expect(rememberedShrink(here, shrunk)).toEqual(["v1beta1"]);
});

// A conversion webhook, or whoever may change the definition, could name thousands, which every answer about it would contain.
test("of the versions in which objects were found, the first hundred are remembered", () => {
  for (let index = 0; index < 150; index += 1) noteLostVersion(here, shrunk.uid, `v${index}`);
  expect(lostVersions(here, shrunk.uid)).toHaveLength(100);
  expect(lostVersions(here, shrunk.uid)[0]).toBe("v0");
});
