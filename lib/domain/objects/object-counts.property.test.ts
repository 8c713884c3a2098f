import fc from "fast-check";
import { expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleSettlePoint, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { countedVersions, storedBounds } from "./object-counts.ts";

const now = Date.parse("2026-01-02T12:00:00.000Z");

const names = ["v1", "v1beta1", "v1alpha1", "v2"];

/** Definitions as the API server would keep them, odd stored versions included, with or without proof and settle point. */
const definition: fc.Arbitrary<Crd> = fc
  .record({
    versions: fc.subarray(names, { minLength: 1 }),
    storage: fc.nat(),
    storedVersions: fc.array(fc.constantFrom(...names, "v9"), { maxLength: 4 }),
    proof: fc.constantFrom("none", "holds", "void"),
    settlePoint: fc.constantFrom("none", "holds", "void"),
    migration: fc.constantFrom("none", "running", "failed"),
  })
  .map(({ versions, storage, storedVersions, proof, settlePoint, migration }) => {
    const condition = {
      type: "StorageMigrating",
      status: migration === "running" ? ("True" as const) : ("False" as const),
      reason: migration === "failed" ? "MigrationFailed" : "",
      message: "",
    };
    const crd = sampleCrd({
      versions: versions.map((name, index) => sampleVersion(name, { storage: index === storage % versions.length })),
      storedVersions,
      conditions: migration === "none" ? [] : [condition],
    });
    const generation = (held: string) => (held === "void" ? { generation: crd.generation - 1 } : {});
    const record = sampleRecord({
      proof: proof === "none" ? null : sampleProof(crd, generation(proof)),
      settlePoint: settlePoint === "none" ? null : sampleSettlePoint(crd, generation(settlePoint)),
    });
    return { ...crd, record };
  });
const scan = fc
  .nat({ max: 1_000 })
  .chain((total) => fc.record({ total: fc.constant(total), settlePoint: fc.constant("900"), aboveSettlePoint: fc.nat({ max: total }) }));

const boundsOf = (crd: Crd, counts: { total: number | null; settlePoint: string; aboveSettlePoint: number }) => {
  const versions = countedVersions(crd, { ...counts, lastWrittenAs: new Map(), managedFieldsAs: new Map() }, null);
  return versions.map(storedBounds(crd, counts, now));
};
const sum = (values: (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);

test("bounds are never outside 0 to total, nor the wrong way round", () => {
  fc.assert(
    fc.property(definition, scan, (crd, counts) => {
      for (const { atLeast, atMost } of boundsOf(crd, counts)) {
        expect(atLeast).toBeGreaterThanOrEqual(0);
        expect(atLeast).toBeLessThanOrEqual(atMost ?? -1);
        expect(atMost).toBeLessThanOrEqual(counts.total);
      }
    }),
  );
});

test("all versions together can hold all objects, and never must hold more", () => {
  fc.assert(
    fc.property(definition, scan, (crd, counts) => {
      const bounds = boundsOf(crd, counts);
      expect(sum(bounds.map(({ atLeast }) => atLeast))).toBeLessThanOrEqual(counts.total);
      expect(sum(bounds.map(({ atMost }) => atMost))).toBeGreaterThanOrEqual(counts.total);
    }),
  );
});

test("a number is exact only on a basis: without one the bounds are open", () => {
  fc.assert(
    fc.property(definition, scan, (crd, counts) => {
      for (const { atLeast, atMost, basis } of boundsOf(crd, counts)) {
        if (basis === "none") expect([atLeast, atMost]).toEqual([0, counts.total]);
      }
    }),
  );
});

test("an unknown total is never a number", () => {
  fc.assert(
    fc.property(definition, (crd) => {
      for (const bounds of boundsOf(crd, { total: null, settlePoint: "900", aboveSettlePoint: 0 })) {
        expect(bounds).toEqual({ atLeast: null, atMost: null, basis: "none" });
      }
    }),
  );
});
