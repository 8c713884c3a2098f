import { expect, test } from "vitest";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { sampleDetail } from "#lib/cluster/testing/sample-detail.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { versionStanding } from "./version-standing.ts";

// Without it (a count told the standing of its own time) a version that was removed since stays "served", and none breaks applies.
test("a version that was counted is told as the definition has it now", () => {
  const now = sampleCrd({
    versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1", { served: false }), sampleVersion("v2")],
  });
  const { versions } = sampleDetail(now, UNCOUNTED, Date.parse("2026-01-02T12:00:10.000Z"));
  const standings = ["v1", "v2", "v1beta1", "v1alpha1"].map((name) => versionStanding(versions, name));
  expect(standings).toEqual(["storage", "served", "unserved", "missing"]);
});
