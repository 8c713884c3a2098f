import { describe, expect, test, vi } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import {
  provenCrd,
  sampleCrd,
  sampleEtcdCount,
  sampleRecord,
  sampleRun,
  sampleSettlePoint,
  sampleVersion,
} from "#lib/domain/testing/sample-crd.ts";
import { countedVersions, type Scan, scanObject, storedBounds } from "./object-counts.ts";

const now = Date.parse("2026-01-02T12:00:00.000Z");

const scanned = (changes: Partial<Scan> = {}): Scan => ({
  total: 10,
  settlePoint: null,
  aboveSettlePoint: 0,
  lastWrittenAs: new Map(),
  managedFieldsAs: new Map(),
  ...changes,
});
const settled = (changes: Partial<Crd> = {}) => {
  const crd = sampleCrd(changes);
  return { ...crd, record: sampleRecord({ settlePoint: sampleSettlePoint(crd) }) };
};
const failed = [{ type: "StorageMigrating", status: "False" as const, reason: "MigrationFailed", message: "" }];
/** A run at whose list the cluster's own engine works. */
const delegated = sampleRun({
  delegation: {
    ...{ migration: "crdshift-run-1-2", phase: "running", message: "", left: null, startedAt: null, endedAt: null },
    ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
  },
});
const running = [{ type: "StorageMigrating", status: "True" as const, reason: "MigrationRunning", message: "" }];

describe("how many objects are stored in a version", () => {
  test.each<{
    when: string;
    crd: Crd;
    scan?: Partial<Scan>;
    v1: [number | null, number | null];
    v1beta1: [number | null, number | null];
    basis: string;
  }>([
    { when: "a proof says so: exactly", crd: provenCrd(), v1: [10, 10], v1beta1: [0, 0], basis: "proof" },
    {
      when: "one stored version is declared, but another vanished from the list without a proof",
      crd: sampleCrd({ storedVersions: ["v1"], shrankWithoutProof: ["v1beta1"] }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "a proof that no longer holds says nothing",
      crd: { ...provenCrd(), generation: 3 },
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "the settle point bounds it",
      crd: settled(),
      scan: { settlePoint: "900", aboveSettlePoint: 7 },
      v1: [7, 10],
      v1beta1: [0, 3],
      basis: "settle-point",
    },
    {
      when: "a settle point that no longer holds does not",
      crd: { ...settled(), generation: 3 },
      scan: { settlePoint: "900", aboveSettlePoint: 7 },
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "one that was taken during the count does not: the objects were compared with another",
      crd: settled(),
      scan: { settlePoint: "800", aboveSettlePoint: 7 },
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      // Without isContradicted (basis-of-bounds.ts) "v1: 7 – 10".
      when: "one that a count in etcd disproves does not",
      crd: { ...settled(), etcdCount: sampleEtcdCount({ v1: [9, "950"], v1beta1: [1, "950"] }) },
      scan: { settlePoint: "900", aboveSettlePoint: 7 },
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "one stored version is declared",
      crd: sampleCrd({ storedVersions: ["v1"] }),
      v1: [10, 10],
      v1beta1: [0, 0],
      basis: "declared",
    },
    { when: "two stored versions tell nothing", crd: sampleCrd(), v1: [0, 10], v1beta1: [0, 10], basis: "none" },
    {
      when: "an in-tree migration failed: the declaration isn't trusted",
      crd: sampleCrd({ storedVersions: ["v1"], conditions: failed }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "an in-tree migration is running: neither",
      crd: sampleCrd({ storedVersions: ["v1"], conditions: running }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "the engine of a delegated run has shortened the list: neither",
      crd: sampleCrd({ storedVersions: ["v1"], record: sampleRecord({ runs: [delegated] }) }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "a doubt about it: neither",
      crd: sampleCrd({ storedVersions: ["v1"], record: sampleRecord({ doubt: { rejected: 1 } }) }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    {
      when: "a record that can't be read may hold a doubt: neither",
      crd: sampleCrd({ storedVersions: ["v1"], record: "unreadable" }),
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    { when: "the list is empty: it says nothing", crd: sampleCrd({ storedVersions: [] }), v1: [0, 10], v1beta1: [0, 10], basis: "none" },
    {
      when: "the list lacks the storage version: it is not believed",
      crd: settled({ storedVersions: ["v1beta1"] }),
      scan: { settlePoint: "900", aboveSettlePoint: 10 },
      v1: [0, 10],
      v1beta1: [0, 10],
      basis: "none",
    },
    { when: "the total is unknown", crd: provenCrd(), scan: { total: null }, v1: [null, null], v1beta1: [null, null], basis: "none" },
    { when: "there is no object", crd: sampleCrd(), scan: { total: 0 }, v1: [0, 0], v1beta1: [0, 0], basis: "none" },
  ])("$when", ({ crd, scan, v1, v1beta1, basis }) => {
    const bounds = storedBounds(crd, scanned(scan), now);
    expect(bounds("v1")).toEqual({ atLeast: v1[0], atMost: v1[1], basis });
    expect(bounds("v1beta1")).toEqual({ atLeast: v1beta1[0], atMost: v1beta1[1], basis });
  });

  test("a version that the list does not name holds none, and that is declared", () => {
    const crd = settled({ versions: [...sampleCrd().versions, sampleVersion("v2alpha1")] });
    expect(storedBounds(crd, scanned(), now)("v2alpha1")).toEqual({ atLeast: 0, atMost: 0, basis: "declared" });
  });
});

describe("the evidence of managedFields", () => {
  test("an object counts for the version of its newest entry, and once for each version that any entry names", () => {
    const scan = scanned();
    const writes = [
      { version: "v1beta1", at: 1 },
      { version: "v1", at: 3 },
      { version: "v1beta1", at: 2 },
    ];
    scanObject(scan, { resourceVersion: "5", deletionTimestamp: null, writes }, new Set());
    expect([...scan.lastWrittenAs]).toEqual([["v1", 1]]);
    expect([...scan.managedFieldsAs]).toEqual([
      ["v1beta1", 1],
      ["v1", 1],
    ]);
  });

  test("of entries of the same second the last one counts", () => {
    const scan = scanned();
    const writes = [
      { version: "v1beta1", at: 1 },
      { version: "v1", at: 1 },
    ];
    scanObject(scan, { resourceVersion: "5", deletionTimestamp: null, writes }, new Set());
    expect([...scan.lastWrittenAs]).toEqual([["v1", 1]]);
  });

  test("an object without managedFields is evidence for nothing", () => {
    const scan = scanned();
    scanObject(scan, { resourceVersion: "5", deletionTimestamp: null, writes: [] }, new Set());
    expect([scan.lastWrittenAs.size, scan.managedFieldsAs.size]).toEqual([0, 0]);
  });

  // Their number was that of the objects times that of the entries of each, and every page sorted and sent all of them.
  test("a thousand gone versions are counted, and each of the definition's own, however many are named", () => {
    const scan = scanned();
    const named = (first: number) => Array.from({ length: 5_000 }, (_, index) => ({ version: `w${first + index}`, at: 1 }));
    for (const first of [0, 5_000]) {
      const writes = [...named(first), { version: "v1", at: 2 }];
      scanObject(scan, { resourceVersion: "5", deletionTimestamp: null, writes }, new Set(["v1", "v1beta1"]));
    }
    expect([scan.managedFieldsAs.get("w0"), scan.managedFieldsAs.get("v1"), scan.lastWrittenAs.get("v1")]).toEqual([1, 2, 2]);
    expect(scan.managedFieldsAs.size).toBe(1_003);
  });

  test.each([
    ["1000", 0],
    ["1001", 1],
    ["999", 0],
    ["10000", 1],
  ])("an object at resourceVersion %s counts %d above the settle point 1000", (resourceVersion, above) => {
    const scan = scanned({ settlePoint: "1000" });
    scanObject(scan, { resourceVersion, deletionTimestamp: null, writes: [] }, new Set());
    expect(scan.aboveSettlePoint).toBe(above);
  });

  // Without deletionTimestamp (object-counts.ts) an object that a slow deletion stored at an old version counts as stored at the new one.
  test("an object that is being deleted doesn't count above the settle point", () => {
    const scan = scanned({ settlePoint: "1000" });
    scanObject(scan, { resourceVersion: "1001", deletionTimestamp: now, writes: [] }, new Set());
    expect(scan.aboveSettlePoint).toBe(0);
  });
});

test("counts are given for the spec's versions in priority order, then for others that something names", () => {
  const crd = sampleCrd({ storedVersions: ["v9", "v1"] });
  const managedFieldsAs = new Map([
    ["v1alpha1", 2],
    ["v1", 5],
    ["", 1],
  ]);
  expect(countedVersions(crd, scanned({ managedFieldsAs }), null)).toEqual(["v1", "v1beta1", "v1alpha1", "v9"]);
});

// Asked for each version, it takes the square of their number: a tenth of a second with nine thousand, for each page of each count.
test("whether the settle point still holds is asked once, however many versions there are", () => {
  const names = Array.from({ length: 200 }, (_, index) => `v${index + 1}`);
  const versions = names.map((name, index) => sampleVersion(name, { storage: index === 199 }));
  const crd = sampleCrd({ versions, storedVersions: names });
  const atPoint = { ...crd, record: sampleRecord({ settlePoint: sampleSettlePoint(crd) }) };
  const find = vi.spyOn(versions, "find");
  const settlePoint = sampleSettlePoint(crd).resourceVersion;
  const boundsOf = storedBounds(atPoint, { total: 7, settlePoint, aboveSettlePoint: 3 }, now);
  expect(new Set(names.map((name) => boundsOf(name).basis))).toEqual(new Set(["settle-point"]));
  expect(find.mock.calls.length).toBeLessThan(10);
});
