import { describe, expect, test } from "vitest";
import type { EtcdCount } from "#lib/domain/objects/etcd-count.ts";
import { pruneRefusal } from "#lib/domain/rewrite/refusals.ts";
import { provenCrd, sampleCrd, sampleEtcdCount, sampleProof, sampleRecord, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { clockTime } from "#lib/domain/wording/local-time.ts";
import { contradictionOf, contradictionReason, contradictionRepair, isOutdated, missingStoredVersions } from "./contradiction.ts";
import type { Crd } from "./crd.ts";
import { crdState } from "./crd-state.ts";

// The proof of provenCrd was settled at 900 and verified at 950.
const countedAfter = (versions: Record<string, [objects: number, lastResourceVersion: string]>) =>
  sampleEtcdCount(versions, { revision: "1000" });
const countedBefore = (versions: Record<string, [objects: number, lastResourceVersion: string]>) =>
  sampleEtcdCount(versions, { revision: "940" });
const everyObject = (crd: Crd) => ({ ...crd, record: sampleRecord({ proof: sampleProof(crd, { verify: "every-object" }) }) });
const doubted = (crd: Crd) => ({ ...crd, rememberedDoubt: { rejected: 0 } });
const asOf = "2026-01-02T12:00:05.000Z";

describe("a count in etcd", () => {
  test.each<{ when: string; crd: Crd; count: EtcdCount; unlisted?: object[]; disproved?: object[] }>([
    {
      when: "finds objects in a version that is not listed",
      crd: sampleCrd({ storedVersions: ["v1"] }),
      count: countedAfter({ v1: [7, "1000"], v1beta1: [3, "100"] }),
      unlisted: [{ version: "v1beta1", objects: 3 }],
    },
    {
      when: "finds objects in the storage version though it is not listed",
      crd: sampleCrd({ storedVersions: ["v1beta1"] }),
      count: countedAfter({ v1: [7, "100"] }),
      unlisted: [{ version: "v1", objects: 7 }],
    },
    {
      when: "finds objects in a leftover version although a proof says there are none",
      crd: provenCrd(),
      count: countedAfter({ v1: [7, "100"], v1beta1: [1, "100"] }),
      disproved: [{ version: "v1beta1", objects: 1 }],
    },
    {
      when: "finds, before the proof, an object above the settle point, which that rewrite skipped",
      crd: provenCrd(),
      count: countedBefore({ v1beta1: [1, "901"] }),
      disproved: [{ version: "v1beta1", objects: 1 }],
    },
    {
      when: "was made at the very revision that the proof verified",
      crd: everyObject(sampleCrd()),
      count: sampleEtcdCount({ v1beta1: [1, "100"] }, { revision: "950" }),
      disproved: [{ version: "v1beta1", objects: 1 }],
    },
    // With any recorded proof (isOutdated) each of these three says nothing any more.
    {
      when: "was made before a proof that anyone may have written",
      crd: { ...everyObject(sampleCrd({ storedVersions: ["v1"] })), claims: { proof: true, settlePoint: false, dryRun: false } },
      count: countedBefore({ v1beta1: [3, "901"] }),
      unlisted: [{ version: "v1beta1", objects: 3 }],
    },
    {
      when: "was made before a proof that a later rewrite disproved",
      crd: doubted(everyObject(sampleCrd({ storedVersions: ["v1"] }))),
      count: countedBefore({ v1beta1: [3, "901"] }),
      unlisted: [{ version: "v1beta1", objects: 3 }],
    },
    {
      when: "was made before a proof from before a restore of etcd",
      crd: { ...everyObject(sampleCrd({ storedVersions: ["v1"] })), resourceVersion: "949" },
      count: countedBefore({ v1beta1: [3, "901"] }),
      unlisted: [{ version: "v1beta1", objects: 3 }],
    },
  ])("contradicts when it $when", ({ crd, count, unlisted = [], disproved = [] }) => {
    const contradicted = { ...crd, etcdCount: count };
    expect(contradictionOf(contradicted)).toEqual({ asOf, unlisted, disproved });
    expect(isOutdated(contradicted, count)).toBe(false);
  });

  test.each<{ when: string; crd: Crd; count: EtcdCount | null }>([
    { when: "was not made", crd: sampleCrd({ storedVersions: ["v1"] }), count: null },
    { when: "finds objects in listed versions only", crd: sampleCrd(), count: countedAfter({ v1: [7, "1000"], v1beta1: [3, "100"] }) },
    { when: "finds what a proof says", crd: provenCrd(), count: countedAfter({ v1: [7, "1000"] }) },
    { when: "could read nothing", crd: sampleCrd({ storedVersions: ["v1"] }), count: sampleEtcdCount({}, { encrypted: 5, total: 5 }) },
    {
      when: "was made before the proof, of objects that the rewrite went through",
      crd: provenCrd({ storedVersions: ["v1"] }),
      count: countedBefore({ v1: [7, "940"], v1beta1: [3, "900"] }),
    },
    {
      when: "was made before a proof that verified every object, whatever the settle point",
      crd: everyObject(sampleCrd({ storedVersions: ["v1"] })),
      count: countedBefore({ v1beta1: [3, "901"] }),
    },
    {
      when: "was made before a proof that a change of the spec has voided since",
      crd: { ...provenCrd({ storedVersions: ["v1"] }), generation: 3 },
      count: countedBefore({ v1beta1: [3, "100"] }),
    },
  ])("does not contradict when it $when", ({ crd, count }) => {
    expect(contradictionOf({ ...crd, etcdCount: count })).toBeNull();
  });

  test("of another definition's proof is not outdated", () => {
    const crd = sampleCrd({ storedVersions: ["v1"] });
    const record = sampleRecord({ proof: sampleProof(crd, { uid: "another" }) });
    expect(contradictionOf({ ...crd, record, etcdCount: countedBefore({ v1beta1: [3, "100"] }) })).not.toBeNull();
  });
});

describe("a contradiction", () => {
  const unlisted = sampleCrd({ storedVersions: ["v1"], etcdCount: countedAfter({ v1: [7, "1000"], v1beta1: [1_500, "100"] }) });
  const disproved = { ...provenCrd(), etcdCount: countedAfter({ v1beta1: [1, "100"] }) };
  const now = Date.parse("2026-01-02T12:00:10.000Z");
  const state = (crd: Crd) => crdState(crd, { total: 10, conversionFailure: null }, now);

  test("blocks the definition, and says how many, which version, why it matters and what to do", () => {
    expect(state(unlisted)).toEqual({
      state: "blocked",
      reason:
        "etcd holds 1,500 objects stored as v1beta1, which status.storedVersions doesn't list, so the API server would let you drop v1beta1 with " +
        "objects still stored in it. Repair storedVersions, then rewrite with every object verified; otherwise a crdshift that hasn't counted " +
        "them, such as the command line, skips objects written after the settle point.",
    });
    expect(state(disproved)).toEqual({
      state: "blocked",
      reason:
        "etcd holds 1 object stored as v1beta1, but a proof says there are none. Rewrite with every object verified; otherwise a crdshift " +
        "that hasn't counted them, such as the command line, skips objects written after the settle point.",
    });
  });

  test("refuses the prune, with its time", () => {
    expect(pruneRefusal(disproved, now)).toEqual({
      message: `A count at ${clockTime(asOf, now)} shows that etcd holds 1 object stored as v1beta1, but a proof says there are none.`,
      nextStep: expect.stringContaining("every object verified"),
    });
    expect(pruneRefusal({ ...disproved, etcdCount: null }, now)).toBeNull();
  });

  test("repairs the versions that etcd holds, and those that vanished unproven", () => {
    expect(missingStoredVersions(unlisted, now)).toEqual(["v1beta1"]);
    expect(missingStoredVersions({ ...unlisted, shrankWithoutProof: ["v1alpha1", "v1beta1"] }, now)).toEqual(["v1alpha1", "v1beta1"]);
    expect(missingStoredVersions(disproved, now)).toEqual([]);
  });

  // With only what vanished unproven (missingStoredVersions) one lost version hides all that a failed migration may have removed.
  test("and those that vanished leave all that a failed migration may have removed to be repaired, too", () => {
    const failed = { type: "StorageMigrating", status: "False", reason: "MigrationFailed", message: "", observedGeneration: 2 } as const;
    const crd = sampleCrd({ storedVersions: ["v1"], conditions: [...sampleCrd().conditions, failed], shrankWithoutProof: ["v1alpha1"] });
    expect(missingStoredVersions(crd, now)).toEqual(["v1alpha1", "v1beta1"]);
    expect(state(crd)).toEqual({ state: "blocked", reason: expect.stringContaining("stored as v1alpha1, v1beta1") });
    const counted = { ...crd, shrankWithoutProof: [], etcdCount: countedAfter({ v1alpha1: [2, "100"] }) };
    expect(missingStoredVersions(counted, now)).toEqual(["v1alpha1", "v1beta1"]);
  });

  test("about a version that the spec lost says to put it back there first, and offers the others meanwhile", () => {
    const gone = sampleCrd({
      versions: [sampleVersion("v1", { storage: true })],
      storedVersions: ["v1"],
      etcdCount: countedAfter({ v1beta1: [2, "100"] }),
    });
    const contradiction = contradictionOf(gone);
    expect(contradiction && contradictionRepair(gone, contradiction)).toMatch(
      /^Put v1beta1 back into spec.versions, repair storedVersions, and rewrite/,
    );
    expect(missingStoredVersions(gone, now)).toEqual(["v1beta1"]);
    expect(missingStoredVersions({ ...unlisted, etcdCount: countedAfter({ v1beta1: [2, "100"], v0: [1, "100"] }) }, now)).toEqual([
      "v1beta1",
    ]);
  });

  test("names several versions", () => {
    const contradiction = contradictionOf({ ...unlisted, etcdCount: countedAfter({ v1beta1: [2, "100"], v0: [1, "100"] }) });
    expect(contradiction && contradictionReason(contradiction)).toMatch(
      /1 object stored as v0 and 2 objects stored as v1beta1, which .* in them$/,
    );
  });
});
