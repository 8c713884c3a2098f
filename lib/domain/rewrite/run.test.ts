import { describe, expect, test } from "vitest";
import { latestRun } from "#lib/domain/record/rewrite-record.ts";
import { validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { withCaveats, withReason } from "#lib/domain/rewrite/run.ts";
import {
  provenCrd,
  sampleCrd,
  sampleProof,
  sampleRecord,
  sampleRun,
  sampleSettlePoint,
  sampleVersion,
} from "#lib/domain/testing/sample-crd.ts";
import { crdIdentity, identityChange } from "./identity.ts";
import { asOf, isLive, runPhases } from "./run.ts";

const noon = Date.parse("2026-01-02T12:00:00.000Z");

describe("what ties a proof and a settle point to a definition", () => {
  const flipped = [sampleVersion("v1beta1", { storage: true }), sampleVersion("v1")];
  const changes = [
    {
      change: "deleted and created again",
      crd: { uid: "another" },
      says: "the definition was deleted and created again (its uid changed)",
    },
    { change: "its storage version flipped", crd: { versions: flipped }, says: "the storage version changed from v1 to v1beta1" },
    {
      change: "its storage version is gone",
      crd: { versions: [sampleVersion("v1")] },
      says: "the storage version changed from v1 to none",
    },
    { change: "its spec changed", crd: { generation: 3 }, says: "its spec changed (generation 2 became 3)" },
  ];

  test.each(changes)("does not hold for a definition that was $change", ({ crd: changed, says }) => {
    const crd = provenCrd();
    const now = { ...crd, ...changed };
    expect(identityChange(now, sampleProof(crd))).toBe(says);
    expect(validProof(now)).toBeNull();
    expect(validSettlePoint({ ...now, record: sampleRecord({ settlePoint: sampleSettlePoint(crd) }) })).toBeNull();
  });

  test("holds while uid, generation and storage version are the same, whatever else changed", () => {
    const crd = { ...provenCrd(), resourceVersion: "2000", storedVersions: ["v1"], owner: "somebody" };
    expect(validProof(crd)).not.toBeNull();
    expect(validSettlePoint({ ...crd, record: sampleRecord({ settlePoint: sampleSettlePoint(crd) }) })).not.toBeNull();
  });

  test("names a recreated definition before a mere change of its spec", () => {
    const crd = sampleCrd();
    expect(identityChange({ ...crd, uid: "another", generation: 1, versions: flipped }, sampleProof(crd))).toContain("created again");
  });

  test("is nothing without a storage version, or in an annotation that another tool wrote", () => {
    expect(crdIdentity({ ...sampleCrd(), versions: [sampleVersion("v1")] })).toBeNull();
    expect(validProof(sampleCrd({ record: "unreadable" }))).toBeNull();
    expect(latestRun(sampleCrd({ record: "unreadable" }), noon)).toBeNull();
  });
});

describe("a run whose holder fell silent", () => {
  const live = runPhases.filter((phase) => isLive({ phase }));

  test("can be live in four phases only", () => {
    expect(live).toEqual(["settling", "rewriting", "verifying", "paused"]);
  });

  test.each(live)("is at work for 45 s after its last renewal while %s, and interrupted a millisecond later", (phase) => {
    const run = sampleRun({ phase });
    expect(asOf(run, noon + 45_000)).toEqual(run);
    expect(asOf(run, noon + 45_001)).toEqual({ ...run, phase: "interrupted", ratePerSecond: null, etaSeconds: null });
  });

  test.each(runPhases.filter((phase) => !live.includes(phase)))("stays %s for ever", (phase) => {
    expect(asOf(sampleRun({ phase }), noon + 1_000_000).phase).toBe(phase);
  });

  test("is interrupted too when its renewal can't be read", () => {
    expect(asOf(sampleRun({ renewedAt: "soon" }), noon).phase).toBe("interrupted");
  });

  test("is the newest one: older runs are history", () => {
    const runs = [sampleRun({ id: "new", phase: "succeeded" }), sampleRun({ id: "old" })];
    expect(latestRun(sampleCrd({ record: sampleRecord({ runs }) }), noon)?.id).toBe("new");
  });
});

const reason = (text: string) => ({ text, by: "alice", at: "2026-01-02T12:00:00.000Z" });

test("of many reasons the first and the newest are kept", () => {
  const texts = ["upgrade", "after the night", "after the week"]
    .map(reason)
    .reduce(withReason, [])
    .map(({ text }) => text);
  expect(texts).toEqual(["upgrade", "after the week"]);
});

// Where some are left out without a word, whoever reads the rest takes it for all.
test("of many caveats the first and the last three are kept, and their number says how many others there were", () => {
  const all = (...caveats: (string | null)[]) => caveats.reduce<string[]>((known, caveat) => withCaveats(known, [caveat]), []);
  expect(all("a", "b", null, "c", "d", "d")).toEqual(["a", "b", "c", "d"]);
  expect(all("a", "b", "c", "d", "e")).toEqual(["a", "The record leaves out 1 more of these warnings.", "c", "d", "e"]);
  expect(all("a", "b", "c", "d", "e", "e", "f")).toEqual(["a", "The record leaves out 2 more of these warnings.", "d", "e", "f"]);
  expect(withCaveats(["a", "b", "c"], ["d", "e", "f"])).toEqual(["a", "The record leaves out 2 more of these warnings.", "d", "e", "f"]);
});
