import { expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { crdState } from "#lib/domain/definition/crd-state.ts";
import type { Run, RunCounts } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun, sampleSettlePoint, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { removeVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { doubtIn, doubtOf, withDoubt } from "./doubt.ts";

const ended = (phase: Run["phase"], counts: Partial<RunCounts> = {}) =>
  sampleRun({ phase, counts: { total: 10, rewritten: 0, alreadyCurrent: 10, gone: 0, rejected: 0, remaining: 0, ...counts } });
const now = Date.parse("2026-01-02T12:00:00.000Z");
const two = sampleCrd();
const one = sampleCrd({ versions: [sampleVersion("v1", { storage: true })] });
const doubt = (...runs: Run[]) => doubtIn(sampleRecord({ runs }), two, now);

test("a rewrite that changed an object, or could not verify one, leaves a doubt however it ended", () => {
  for (const phase of ["cancelled", "interrupted", "failed", "unproven", "rewriting"] as const) {
    expect(doubt(ended(phase, { rewritten: 7 })), phase).toEqual({ rejected: 0 });
    expect(doubt(ended(phase, { rejected: 1 })), phase).toEqual({ rejected: 1 });
    expect(doubt(ended(phase)), phase).toBeNull();
  }
});

// Without mayHaveWritten, a definition whose list of versions someone shortened after the kill counts as current, and crdshift removes the
// version in which its objects are stored.
test("a killed rewrite leaves one although its record counts no object, unless a proof of this spec is recorded, and a live one doesn't", () => {
  const settledAt = "2026-01-02T11:59:30.000Z";
  const begun = { ...ended("rewriting"), settledAt };
  const killed = { ...begun, renewedAt: "2026-01-02T11:59:00.000Z" };
  expect([begun, killed, { ...killed, settledAt: null }].map((run) => doubt(run))).toEqual([null, { rejected: 0 }, null]);
  expect(doubt({ ...ended("interrupted"), settledAt, endedAt: settledAt })).toBeNull();
  expect(doubt({ ...ended("cancelled"), rewrittenAtLeast: true })).toEqual({ rejected: 0 });
  // What disproves it is recorded before it counts.
  expect(doubtIn(sampleRecord({ runs: [killed], proof: sampleProof(two) }), two, now)).toBeNull();
  // Each migration but a definition's first begins with the proof of the one before it.
  const before = sampleProof(two, { generation: two.generation - 1 });
  const settlePoint = sampleSettlePoint(two);
  expect(doubtIn(sampleRecord({ runs: [killed], proof: before, settlePoint }), two, now)).toEqual({ rejected: 0 });
  // Killed beside that proof, and the spec has changed since.
  const then = { ...settlePoint, generation: before.generation };
  expect(doubtIn(sampleRecord({ runs: [killed], proof: before, settlePoint: then }), two, now)).toBeNull();
});

test("later rewrites that change nothing do not end it, a proven one does", () => {
  const rejecting = ended("unproven", { rejected: 2 });
  expect(doubt(ended("cancelled"), ended("failed"), rejecting)).toEqual({ rejected: 2 });
  expect(doubt(ended("cancelled", { rejected: 1 }), rejecting)).toEqual({ rejected: 2 });
  expect(doubt(ended("succeeded", { rewritten: 10 }), rejecting)).toBeNull();
  expect(doubt(ended("cancelled"), ended("succeeded"), rejecting)).toBeNull();
});

test("it outlasts the runs that left it", () => {
  const kept = { rejected: 2 };
  expect(doubtIn({ doubt: kept, runs: [], proof: null }, two, now)).toEqual(kept);
  expect(doubtIn({ doubt: kept, runs: [ended("cancelled", { rewritten: 1 })], proof: null }, two, now)).toEqual(kept);
});

// If a run's phase ended it (doubtIn), whoever adds a run to the annotation could end it. The write of a proof does (finish-run.ts).
test("a record that tells of both it and a success keeps it", () => {
  const kept = { rejected: 2 };
  expect(doubtIn({ doubt: kept, runs: [ended("succeeded")], proof: null }, two, now)).toEqual(kept);
});

// With the record alone (keptDoubt) an older one that is put back ends it.
test("one that this process remembers counts whatever the record says, and the worse of both is told", () => {
  const rememberedDoubt = { rejected: 1 };
  const remembering = (record: Crd["record"]) => doubtOf({ ...two, record, rememberedDoubt }, now);
  expect([null, "unreadable" as const, sampleRecord()].map(remembering)).toEqual([rememberedDoubt, rememberedDoubt, rememberedDoubt]);
  expect(remembering(sampleRecord({ doubt: { rejected: 3 } }))).toEqual({ rejected: 3 });
  expect(remembering(sampleRecord({ doubt: { rejected: 0 } }))).toEqual({ rejected: 1 });
});

// With doubtIn alone to judge by, the record of each definition with a single version would get a doubt that nothing shows.
test("changed objects of a single version were not stored in another, so they begin no doubt", () => {
  const changed = { doubt: null, runs: [ended("cancelled", { rewritten: 7 })], proof: null };
  expect([doubtIn(changed, two, now), doubtIn(changed, one, now)]).toEqual([{ rejected: 0 }, null]);
  expect([withDoubt(sampleRecord(), two).doubt, withDoubt(sampleRecord(), one).doubt]).toEqual([{ rejected: 0 }, null]);
  expect(doubtIn({ doubt: null, runs: [ended("cancelled", { rejected: 1 })], proof: null }, one, now)).toEqual({ rejected: 1 });
});

// If it were dropped there, putting the other version back would leave objects stored in it and no doubt.
test("one that began with two versions is kept while there is one, and not shown", () => {
  const kept = { rejected: 0 };
  expect(doubtIn({ doubt: kept, runs: [], proof: null }, one, now)).toEqual(kept);
  const record = sampleRecord({ doubt: kept });
  expect([doubtOf({ ...one, record }, now), doubtOf({ ...two, record }, now), doubtOf(two, now)]).toEqual([null, kept, null]);
});

// With words of their own, the state said to rewrite again, and the refusal to verify every object.
test.each([0, 2])("the state and the refused removal say the same of a doubt with %i rejected objects", (rejected) => {
  const crd = sampleCrd({
    record: sampleRecord({ doubt: { rejected } }),
    storedVersions: ["v1"],
    versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1", { served: false })],
  });
  const { state, reason } = crdState(crd, { total: 1, conversionFailure: null }, Date.now());
  const refusal = removeVersionRefusal(crd, "v1beta1", Date.now());
  expect(state).toBe("blocked");
  const start = rejected === 0 ? "A rewrite changed objects, or may have, and ended before" : "A rewrite could not verify 2 objects";
  expect([reason, refusal?.message]).toEqual([expect.stringContaining(start), expect.stringContaining(start)]);
  expect(reason.endsWith(` ${refusal?.nextStep}`)).toBe(true);
});
