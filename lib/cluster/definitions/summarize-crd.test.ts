import { expect, test } from "vitest";
import { sampleCrd, sampleVersion } from "#lib/domain/definition/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { describeCrd } from "./summarize-crd.ts";

const counted = { total: null, basis: "unknown", asOf: null, message: null, conversionFailure: null } as const;

test("versions that were removed can be put back, each name once, unless it is in the spec again; each has its path", () => {
  const at = (version: string, hour: string) => ({ version, removedAt: `2026-01-02T${hour}:00:00.000Z`, by: null });
  const removedVersions = [at("v1alpha2", "12"), at("v1beta1", "11"), at("v1alpha1", "10"), at("v1alpha2", "09")];
  const detail = describeCrd(sampleCrd({ removedVersions }), counted, Date.parse("2026-01-02T13:00:00.000Z"));
  expect(detail.removedVersions).toEqual([at("v1alpha2", "12"), at("v1alpha1", "10")]);
  expect(detail.removals.map(({ version }) => version)).toEqual(["v1", "v1beta1", "v1alpha2", "v1alpha1"]);
});

// Without MOST_REMOVALS (summarize-crd.ts), 4,000 versions took 4 s each time somebody looked at the definition, and over a minute if
// status.storedVersions listed them all.
test.each([0, 4_000])("thousands of versions hold nobody up, %i of them stored: the first twenty have a path", async (stored) => {
  const versions = Array.from({ length: 4_000 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 }));
  const storedVersions = ["v1", ...versions.slice(1, stored).map(({ name }) => name)];
  const crd = sampleCrd({ versions, storedVersions });
  const { longest, result } = await whileWatched(async () => describeCrd(crd, counted, Date.now()));
  expect([result.versions.length, result.removals.length, result.leftovers.length]).toEqual([4_000, 20, Math.max(0, stored - 1)]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
