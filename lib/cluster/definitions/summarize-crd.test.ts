import { expect, test } from "vitest";
import { sampleCrd } from "#lib/domain/definition/sample-crd.ts";
import { describeCrd } from "./summarize-crd.ts";

test("versions that were removed can be put back, each name once, unless it is in the spec again; each has its path", () => {
  const at = (version: string, hour: string) => ({ version, removedAt: `2026-01-02T${hour}:00:00.000Z`, by: null });
  const removedVersions = [at("v1alpha2", "12"), at("v1beta1", "11"), at("v1alpha1", "10"), at("v1alpha2", "09")];
  const counted = { total: null, basis: "unknown", asOf: null, message: null, conversionFailure: null } as const;
  const detail = describeCrd(sampleCrd({ removedVersions }), counted, Date.parse("2026-01-02T13:00:00.000Z"));
  expect(detail.removedVersions).toEqual([at("v1alpha2", "12"), at("v1alpha1", "10")]);
  expect(detail.removals.map(({ version }) => version)).toEqual(["v1", "v1beta1", "v1alpha2", "v1alpha1"]);
});
