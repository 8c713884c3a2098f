import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { provenCrd, sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { describeFleet } from "./describe-fleet.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const counted = { ...UNCOUNTED, total: 1_500, basis: "list" } as const;
const detail = (crd: Crd) => sampleDetail(crd, counted, now);

test("the fleet is a table with a total of each state", () => {
  const items = [sampleCrd(), sampleCrd({ name: "a.example.com", storedVersions: ["v1"] })].map(detail);
  const unknown = { ...detail(provenCrd()), objects: { ...counted, total: null, basis: "denied" as const } };
  const text = describeFleet({
    ...{ items: [...items, unknown], resourceVersion: "1" },
    otherEngines: unknown.otherEngines,
    asOf: "",
    stale: false,
  });
  expect(text.split("\n").map((line) => line.split(/ {3,}/).slice(0, 5))).toEqual([
    ["NAME", "STATE", "STORAGE", "STORED", "OBJECTS"],
    ["crontabs.example.com", "needs rewrite", "v1", "v1beta1,v1", "1,500"],
    ["a.example.com", "current", "v1", "v1", "1,500"],
    ["crontabs.example.com", "prunable", "v1", "v1beta1,v1", "denied"],
    [""],
    ["3 definitions: 1 needs rewrite, 1 prunable, 1 current"],
  ]);
});
