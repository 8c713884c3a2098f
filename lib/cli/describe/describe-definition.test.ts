import { expect, test } from "vitest";
import { describeCrd } from "#lib/cluster/definitions/summarise-crd.ts";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { provenCrd, sampleCrd, sampleDryRunRecord, sampleEtcdCount, sampleRecord, sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { describeDefinition } from "./describe-definition.ts";
import { describeFleet } from "./describe-fleet.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");
const counted = { ...UNCOUNTED, total: 1_500, basis: "list" } as const;
const detail = (crd: Crd) => ({ ...describeCrd(crd, counted, now), protection: null });
const describe = (crd: Crd) => describeDefinition(detail(crd), "kubectl crdshift");
const next = (crd: Crd) => /^Next: +(.*)$/m.exec(describe(crd))?.[1];

test("shows the state with its reason, the versions, and what a leftover blocks", () => {
  const text = describe(sampleCrd());
  expect(text).toMatch(/^State: +needs rewrite$/m);
  expect(text).toMatch(/^Why: +Up to 1,500 objects may still be stored as v1beta1\.$/m);
  expect(text).toMatch(
    /^VERSION +SERVED +STORAGE +STORED +DEPRECATED\nv1 +true +true +listed +false\nv1beta1 +true +false +listed +false$/m,
  );
  expect(text).toMatch(/^If you drop v1beta1 now, the API server answers:\n {2}status\.storedVersions\[0\]: Invalid value: "v1beta1"/m);
});

test("suggests the same next step as the definition's page", () => {
  const crd = sampleCrd();
  expect(next(crd)).toBe("kubectl crdshift dry-run crontabs.example.com");
  expect(next({ ...crd, record: sampleRecord({ dryRun: sampleDryRunRecord(crd) }) })).toBe("kubectl crdshift rewrite crontabs.example.com");
  expect(next({ ...crd, record: sampleRecord({ runs: [sampleRun({ phase: "interrupted" })] }) })).toMatch(/rewrite .* --resume$/);
  expect(next(provenCrd())).toBe("kubectl crdshift prune crontabs.example.com");
  expect(next(sampleCrd({ storedVersions: ["v1"] }))).toBeUndefined();
  expect(next({ ...crd, record: sampleRecord({ runs: [sampleRun()] }) })).toBeUndefined();
  expect(next(sampleCrd({ storedVersions: ["v1"], shrankWithoutProof: ["v1beta1"] }))).toBe("kubectl crdshift repair crontabs.example.com");
  const contradicted = { ...provenCrd(), etcdCount: sampleEtcdCount({ v1beta1: [3, "990"] }) };
  expect(next(contradicted)).toBe("kubectl crdshift rewrite crontabs.example.com --verify every-object");
  const heldBack = sampleRun({ phase: "unproven", heldBackBecause: "It rewrote nothing: spec.a would be dropped in 3 objects." });
  expect(next({ ...crd, record: sampleRecord({ runs: [heldBack] }) })).toMatch(
    /^See the losses: kubectl crdshift dry-run .* kubectl crdshift rewrite crontabs\.example\.com --accept-losses \(or --keep-ownership/,
  );
});

test("marks a proof that no longer holds", () => {
  expect(describe(provenCrd())).toMatch(/^Proof: +1,500 objects stored as v1, 2026-01-02T12:00:00.000Z$/m);
  expect(describe({ ...provenCrd(), generation: 3 })).toMatch(/^Proof: .*; it no longer holds: its spec changed/m);
});

test("the fleet is a table with a total of each state", () => {
  const items = [sampleCrd(), sampleCrd({ name: "a.example.com", storedVersions: ["v1"] })].map(detail);
  const unknown = { ...detail(provenCrd()), objects: { ...counted, total: null, basis: "denied" as const } };
  const text = describeFleet({ items: [...items, unknown], resourceVersion: "1", asOf: "", stale: false });
  expect(text.split("\n").map((line) => line.split(/ {3,}/).slice(0, 5))).toEqual([
    ["NAME", "STATE", "STORAGE", "STORED", "OBJECTS"],
    ["crontabs.example.com", "needs rewrite", "v1", "v1beta1,v1", "1,500"],
    ["a.example.com", "current", "v1", "v1", "1,500"],
    ["crontabs.example.com", "prunable", "v1", "v1beta1,v1", "denied"],
    [""],
    ["3 definitions: 1 needs rewrite, 1 prunable, 1 current"],
  ]);
});
