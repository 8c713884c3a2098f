import { describe, expect, test } from "vitest";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { REMEMBERED_RUNS } from "./rewrite-record.ts";
import { proofFault, truthfulProof, validProof, validSettlePoint } from "./valid-evidence.ts";

const crd = sampleCrd();
const proof = sampleProof(crd, { runId: "proving", provenAt: "2026-01-02T12:00:00.000Z" });
const later = (changes: Partial<Run>) => sampleRun({ id: "later", startedAt: "2026-01-02T13:00:00.000Z", ...changes });
const none = { total: 10, rewritten: 0, alreadyCurrent: 10, gone: 0, rejected: 0, remaining: 0 };
const followedBy = (run: Run) => ({
  ...crd,
  record: sampleRecord({ proof, runs: [run, sampleRun({ id: "proving", phase: "succeeded", counts: none })] }),
});

describe("a proof", () => {
  test("holds after a later rewrite that was cancelled before anything was rejected", () => {
    expect(validProof(followedBy(later({ phase: "cancelled", counts: none })))).toEqual(proof);
  });

  test("no longer holds once a later rewrite had an object rejected, however that ended", () => {
    const fault = "a later rewrite couldn't rewrite 2 objects";
    for (const phase of ["unproven", "cancelled", "interrupted", "rewriting"] as const) {
      const now = followedBy(later({ phase, counts: { ...none, rejected: 2 } }));
      expect(proofFault(now, proof), phase).toBe(fault);
      expect(validProof(now)).toBeNull();
    }
  });

  test("no longer holds once a later rewrite ended unproven", () => {
    expect(proofFault(followedBy(later({ phase: "unproven", counts: none })), proof)).toBe("a later rewrite ended without a proof");
  });

  test("holds if the rewrite that rejected objects came before it, also by a crdshift with a fast clock", () => {
    const earlier = later({ phase: "unproven", counts: { ...none, rejected: 2 } });
    const runs = [sampleRun({ id: "proving", phase: "succeeded", counts: none }), earlier];
    expect(validProof({ ...crd, record: sampleRecord({ proof, runs }) })).toEqual(proof);
  });

  test("no longer holds once a later rewrite by a crdshift with a slow clock rejected objects", () => {
    const slow = later({ startedAt: "2026-01-02T11:00:00.000Z", counts: { ...none, rejected: 2 } });
    expect(proofFault(followedBy(slow), proof)).toBe("a later rewrite couldn't rewrite 2 objects");
  });

  test("no longer holds once the definition's resourceVersion is below it, as after a restore of etcd, nor does a settle point", () => {
    const settlePoint = sampleSettlePoint(crd);
    const at = (resourceVersion: string) => ({ ...crd, resourceVersion, record: sampleRecord({ proof, settlePoint }) });
    expect([validProof(at("950")), validSettlePoint(at("900"))]).toEqual([proof, settlePoint]);
    expect([validProof(at("949")), validSettlePoint(at("899"))]).toEqual([null, null]);
    expect(proofFault(at("949"), proof)).toMatch(/^its resourceVersion is above the definition's: etcd was restored since/);
  });

  test("no longer holds if its own run is forgotten and a remembered one rejected objects", () => {
    const record = sampleRecord({ proof, runs: [later({ startedAt: "2026-01-02T11:00:00.000Z", counts: { ...none, rejected: 2 } })] });
    expect(validProof({ ...crd, record })).toBeNull();
  });

  // With the remembered runs alone (disproof in valid-evidence.ts) the proof holds again after five rewrites that change nothing.
  test.each([
    [
      0,
      "a later rewrite found objects stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy",
    ],
    [2, "a later rewrite couldn't rewrite 2 objects"],
  ])("no longer holds while there is a doubt with %i rejected objects, whose runs are forgotten", (rejected, fault) => {
    const runs = Array.from({ length: REMEMBERED_RUNS }, (_, index) => later({ id: `${index}`, phase: "cancelled", counts: none }));
    const now = { ...crd, record: sampleRecord({ proof, runs, doubt: { rejected } }) };
    expect(proofFault(now, proof)).toBe(fault);
    expect(validProof({ ...now, record: { ...now.record, doubt: null } })).toEqual(proof);
  });

  // With validProof in its place a count in etcd would be believed again after each change of the spec.
  test("was truthful at its time, also of an earlier spec, unless it is a claim, disproved, or another definition's", () => {
    const proven = { ...crd, record: sampleRecord({ proof }) };
    expect(truthfulProof({ ...proven, generation: 3 })).toEqual(proof);
    const untrue = [
      { claims: { proof: true, settlePoint: false, dryRun: false } },
      { rememberedDoubt: { rejected: 0 } },
      { uid: "another" },
    ];
    for (const change of [...untrue, { resourceVersion: "949" }, { settleSeconds: 66 }]) {
      expect(truthfulProof({ ...proven, ...change }), JSON.stringify(change)).toBeNull();
    }
  });

  test("that is a claim says why it doesn't end a doubt that this process remembers", () => {
    const claim = {
      ...crd,
      record: sampleRecord({ proof }),
      claims: { proof: true, settlePoint: false, dryRun: false },
      rememberedDoubt: { rejected: 0 },
    };
    expect(proofFault(claim, proof)).toBe("this crdshift didn't make it, and an earlier rewrite left objects unverified");
  });

  test("no longer holds, like a settle point, if it rests on a shorter wait than the setting", () => {
    const record = sampleRecord({ proof: { ...proof, settleSeconds: 0 }, settlePoint: sampleSettlePoint(crd, { settleSeconds: 64.9 }) });
    const now = { ...crd, record };
    expect(proofFault(now, { ...proof, settleSeconds: 0 })).toBe("it rests on a settle wait of 0 s, and this crdshift waits 65 s");
    expect(validProof(now)).toBeNull();
    expect(validSettlePoint(now)).toBeNull();
    expect(validSettlePoint({ ...now, settleSeconds: 60 })).not.toBeNull();
  });
});
