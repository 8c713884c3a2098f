import { describe, expect, test } from "vitest";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { Proof, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import {
  sampleCrd,
  sampleDryRunRecord,
  sampleEtcdCount,
  sampleProof,
  sampleRecord,
  sampleRun,
  sampleSettlePoint,
} from "#lib/domain/testing/sample-crd.ts";
import { type ReportContext, reportOf } from "./report.ts";

const NOON = Date.parse("2026-01-02T12:00:00.000Z");
const context: ReportContext = {
  madeAt: "2026-01-02T12:10:00.000Z",
  madeWith: "0.1.0",
  cluster: { context: "dev", server: "https://10.0.0.1:6443", version: "v1.36.3" },
};
const crd = sampleCrd();
const ended = { phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", settleResourceVersion: "900" } as const;

function report(run: Partial<Run>, record: Partial<RewriteRecord> = {}, now = NOON, of = crd) {
  const recorded = sampleRun(run);
  return reportOf(of, sampleRecord({ ...record, runs: [recorded] }), recorded, context, now);
}

describe("the verdict", () => {
  test("is proven with the proof of this very run, and says what has voided it since", () => {
    const proof = sampleProof(crd);
    expect(report(ended, { proof }).verdict).toEqual({ state: "proven", proof, invalidBecause: null });
    const changed = sampleCrd({ generation: 3 });
    expect(report(ended, { proof }, NOON, changed).verdict).toMatchObject({
      ...{ state: "proven", invalidBecause: expect.stringContaining("generation 2 became 3") },
    });
  });

  test("is that the proof does not hold, when etcd was counted since and holds an object against it", () => {
    const proof = sampleProof(crd);
    const record = sampleRecord({ proof });
    const of = (counted: Parameters<typeof sampleEtcdCount>[0]) => sampleCrd({ record, etcdCount: sampleEtcdCount(counted) });
    const disproved = of({ v1: [9, "960"], v1beta1: [3, "980"] });
    expect(report(ended, { proof }, NOON, disproved).verdict).toMatchObject({
      ...{ state: "proven", invalidBecause: expect.stringContaining("etcd holds 3 objects stored as v1beta1, but a proof says") },
    });
    expect(report(ended, { proof }, NOON, of({ v1: [9, "960"] })).verdict).toMatchObject({ state: "proven", invalidBecause: null });
  });

  test("is that the proof is not on record any more, once a later run has proven", () => {
    expect(report(ended, { proof: sampleProof(crd, { runId: "run-2" }) }).verdict).toEqual({
      ...{ state: "replaced", because: "The rewrite succeeded. The proof of a later rewrite, run-2, has replaced its proof." },
    });
  });

  test.each<[string, Proof | null, Run[]]>([
    ["there is no proof", null, []],
    ["the proof is of an earlier run, which is remembered", sampleProof(crd, { runId: "run-0" }), [sampleRun({ id: "run-0" })]],
    ["the proof is older than its end", sampleProof(crd, { runId: "run-0", provenAt: "2026-01-02T11:59:59.999Z" }), []],
  ])("is never proven by the run's own word: %s", (_, proof, earlier) => {
    const recorded = sampleRun(ended);
    const { verdict } = reportOf(crd, sampleRecord({ proof, runs: [recorded, ...earlier] }), recorded, context, NOON);
    expect(verdict).toEqual({
      ...{ state: "not-proven", because: "The rewrite reports success, but neither its proof nor a later rewrite's is on record." },
    });
  });

  test("is that a later run has proven, where both are remembered, whatever their clocks say", () => {
    const [later, recorded] = [sampleRun({ ...ended, id: "run-2" }), sampleRun(ended)];
    const proof = sampleProof(crd, { runId: "run-2", provenAt: "2026-01-02T11:00:00.000Z" });
    expect(reportOf(crd, sampleRecord({ proof, runs: [later, recorded] }), recorded, context, NOON).verdict.state).toBe("replaced");
  });

  test.each<[Partial<Run>, string]>([
    [{ phase: "unproven", counts: { ...sampleRun().counts, rejected: 3 } }, "3 objects could not be rewritten, so there is no proof."],
    [{ phase: "unproven", heldBackBecause: "spec.a would be dropped." }, "before anything more was rewritten. spec.a would be dropped."],
    [{ phase: "failed", statusReason: "The definition was deleted." }, "with 60 objects remaining. The definition was deleted."],
    [{ phase: "cancelled" }, "The rewrite was cancelled with 60 objects remaining."],
  ])("is not proven, and why: %j", (run, because) => {
    expect(report(run).verdict).toMatchObject({ state: "not-proven", because: expect.stringContaining(because) });
  });

  // Without claims (report-verdict.ts, report.ts) the report says "proven", and repeats the numbers of whoever wrote the annotation.
  test("is a claim where this installation did not sign the proof, of this run or a later one, and no number of it is told", () => {
    const claimed = sampleCrd({ claims: { proof: true, settlePoint: true, dryRun: false } });
    const record = { proof: sampleProof(crd), settlePoint: sampleSettlePoint(crd) };
    const told = report(ended, record, NOON, claimed);
    expect(told).toMatchObject({
      verdict: {
        state: "claimed",
        because: expect.stringMatching(/its proof is claimed, not signed by this installation: a rewrite verifies/),
      },
      definition: { generation: null },
      settlePoint: { resourceVersion: "900", takenAt: null, settleSeconds: null },
    });
    expect(report(ended, { proof: sampleProof(crd, { runId: "run-2" }) }, NOON, claimed).verdict.state).toBe("not-proven");
  });

  test("a dry run that this installation did not sign is no part of it", () => {
    const [dryRun, claims] = [sampleDryRunRecord(crd), { proof: false, settlePoint: false, dryRun: true }];
    const of = { ...ended, dryRun: dryRun.id };
    expect(report(of, { dryRun }).dryRun).toEqual(dryRun);
    expect(report(of, { dryRun }, NOON, sampleCrd({ claims }))).toMatchObject({ dryRun: null, losses: null });
  });

  test("waits for a run at work, and takes one that fell silent for interrupted", () => {
    expect(report({}).verdict.state).toBe("at-work");
    expect(report({}, {}, NOON + 46_000)).toMatchObject({ verdict: { state: "not-proven" }, run: { phase: "interrupted" } });
  });
});

// Whoever signs a report off has nothing else to read them in.
describe("the warnings", () => {
  const lost = "Up to 3 objects written in that time weren't checked first, and may have lost fields.";

  test("of a run that succeeded are told beside its proof, and beside whatever has become of it", () => {
    const warned = { ...ended, statusReason: lost, caveats: [lost] };
    expect(report(warned, { proof: sampleProof(crd) })).toMatchObject({ verdict: { state: "proven" }, warnings: [lost] });
    expect(report(warned, { proof: sampleProof(crd, { runId: "run-2" }) })).toMatchObject({
      verdict: { state: "replaced" },
      warnings: [lost],
    });
    expect(report(ended, { proof: sampleProof(crd) }).warnings).toEqual([]);
  });

  test("of a run at work are told, and those of any other are in its verdict", () => {
    expect(report({ caveats: [lost] })).toMatchObject({ verdict: { state: "at-work" }, warnings: [lost] });
    const silent = report({ caveats: [lost] }, {}, NOON + 46_000);
    expect(silent).toMatchObject({ verdict: { because: expect.stringContaining(lost) }, warnings: [] });
    const failed = { phase: "failed", endedAt: ended.endedAt, statusReason: `Denied. ${lost}`, caveats: [lost] } satisfies Partial<Run>;
    expect(report(failed)).toMatchObject({ verdict: { because: expect.stringContaining(lost) }, warnings: [] });
  });
});

describe("what is not known", () => {
  test("is null: the generation, the settle wait and the patches of a record that does not tell them", () => {
    const { definition, settlePoint, patches } = report({ phase: "unproven", settleResourceVersion: "900" });
    expect(definition.generation).toBeNull();
    expect(settlePoint).toEqual({ resourceVersion: "900", takenAt: null, settleSeconds: null });
    expect(patches.map(({ count }) => count)).toEqual([null, null, null, null, null]);
  });

  test("is null, not 0: how many are current, of a run that was cancelled before any list", () => {
    const counts = { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null };
    expect(report({ phase: "cancelled", counts }).outcomes).toMatchObject({
      total: null,
      rewritten: 0,
      alreadyCurrent: null,
      verified: null,
    });
  });

  test("is taken from the settle point that the run used", () => {
    const { definition, settlePoint } = report(
      { phase: "unproven", settleResourceVersion: "900" },
      { settlePoint: sampleSettlePoint(crd) },
    );
    expect(definition.generation).toBe(2);
    expect(settlePoint).toEqual({ resourceVersion: "900", takenAt: "2026-01-02T11:59:30.000Z", settleSeconds: 65 });
  });
});

test.each<[string, Partial<Run>, number, boolean]>([
  ["is at work", {}, NOON, true],
  ["fell silent", {}, NOON + 46_000, true],
  ["has ended", ended, NOON + 46_000, false],
])("of a run that %s, what it did and sent is the least that it may be: %s", (_, run, now, isLeast) => {
  const sent = { rewrite: 40, verify: 0, status: 0, ownership: 0, dryRun: 80, atLeast: false, tested: false };
  const { patches, outcomes } = report({ ...run, sent }, {}, now);
  expect(patches.map(({ atLeast }) => atLeast)).toEqual(Array(5).fill(isLeast));
  expect(outcomes).toMatchObject({ mayBeMore: isLeast, rewrittenAtLeast: isLeast });
});

test("what the cluster's own engine rewrote, or found current, is told as verified, not as current already", () => {
  const counts = { total: 30, rewritten: 0, alreadyCurrent: 30, gone: 0, rejected: 0, remaining: 0 };
  expect(report({ ...ended, counts }).outcomes).toMatchObject({ alreadyCurrent: 30, verified: null });
  expect(report({ ...ended, counts, engine: "in-tree" }).outcomes).toMatchObject({ rewritten: 0, alreadyCurrent: null, verified: 30 });
});

test("whom the API server would not name is null, and no user called unknown", () => {
  expect(report({ ...ended, startedBy: "unknown" }).run.startedBy).toBeNull();
  expect(report(ended).run.startedBy).toBe("alice");
});

test("patches are told as they were sent, with how many there were of each", () => {
  const sent = { rewrite: 40, verify: 0, status: 1, ownership: 2, dryRun: 80, atLeast: true, tested: false };
  const { patches } = report({ sent });
  expect(patches.map(({ purpose, count, atLeast }) => [purpose, count, atLeast])).toEqual([
    ["rewrite", 40, true],
    ["verify", 0, true],
    ["status", 1, true],
    ["ownership", 2, true],
    ["dryRun", 80, true],
  ]);
  expect(patches[0]).toMatchObject({
    body: '{"metadata":{"resourceVersion":"<as listed>"}}',
    ...{ method: "PATCH", contentType: "application/merge-patch+json" },
    path: "/apis/example.com/v1/namespaces/{namespace}/crontabs/{name}?fieldManager=crdshift",
  });
  expect(report({ sent }, {}, NOON, sampleCrd({ scope: "Cluster" })).patches[2]?.path).toBe(
    "/apis/example.com/v1/crontabs/{name}/status?fieldManager=crdshift",
  );
});

// With the definition's present conversion (patch-templates.ts) the tests are left out once the webhook is dropped.
test("patches are told with the tests that the run sent, whatever converts now", () => {
  const tests = '{"op":"test","path":"/spec","value":<as read>}';
  const sent = { rewrite: 40, verify: 0, status: 1, ownership: 2, dryRun: 80, atLeast: false };
  const told = (of: Run["sent"]) => report({ sent: of }).patches.map(({ testedBody, tested }) => [testedBody, tested]);
  const none = [null, false];
  const each = (tested: boolean | null) => [...Array.from({ length: 4 }, () => [expect.stringContaining(tests), tested]), none];
  for (const atLeast of [true, false]) expect(told({ ...sent, tested: false, atLeast })).toEqual([none, none, none, none, none]);
  expect(told({ ...sent, tested: true })).toEqual(each(true));
  const unrecorded = { ...sent, rewrite: 0, status: 0, tested: false, atLeast: true };
  for (const unknown of [null, { ...sent, tested: null }, unrecorded]) expect(told(unknown)).toEqual(each(null));
});

test("why a protected definition was rewritten is in the report", () => {
  const reasons = [{ text: "For the upgrade.", by: "alice", at: "2026-01-02T11:59:00.000Z" }];
  expect(report({ ...ended, reasons }).run.reasons).toEqual(reasons);
});

describe("the prune", () => {
  const later = { versions: ["v1beta1"], prunedAt: "2026-01-02T12:05:00.000Z", by: "carol", reason: null };
  const earlier = { ...later, prunedAt: "2026-01-01T00:00:00.000Z" };
  const own = sampleProof(crd);
  const another = sampleProof(crd, { runId: "run-2" });

  test.each<[string, Partial<RewriteRecord>]>([
    ["names the run", { proof: another, prune: { ...later, runId: "run-1" } }],
    ["names none, as an older crdshift wrote it, and came after its proof", { proof: own, prune: { ...later, runId: null } }],
  ])("belongs to the run when it %s", (_, record) => {
    expect(report(ended, record).prune).toEqual({ state: "pruned", prune: record.prune });
  });

  test.each<[string, Partial<Run>, Partial<RewriteRecord>]>([
    ["none is recorded", ended, { proof: another, prune: null }],
    ["the newest was before its proof", ended, { proof: own, prune: { ...earlier, runId: null } }],
    ["the newest was before its end, and a later run has proven", ended, { proof: another, prune: { ...earlier, runId: "run-0" } }],
    ["it proved nothing", { phase: "unproven" }, { proof: another, prune: { ...later, runId: "run-2" } }],
  ])("was none where %s", (_, run, record) => {
    expect(report(run, record).prune).toEqual({ state: "none" });
  });

  test("is unknown where a later one may have taken its place", () => {
    expect(report(ended, { proof: another, prune: { ...later, runId: "run-2" } }).prune).toEqual({ state: "unknown" });
  });
});

describe("the losses", () => {
  const at = { by: "alice", at: "2026-01-02T11:59:00.000Z", more: 0, sample: null, unseen: false, of: null, signature: null };
  const acceptedLosses = { ...at, dryRun: "dry-run-1", losses: [{ kind: "dropped" as const, path: "spec.a", objects: 3 }] };
  const example = (before: string | null) => ({ namespace: "", name: "one", version: null, before, after: null });
  const lossesWith = (before: string | null) => [{ kind: "dropped" as const, path: "spec.a", objects: 3, examples: [example(before)] }];

  test("are those of the dry run that was accepted: with values from this process, else as recorded, else not known", () => {
    const recorded = sampleRun({ ...ended, acceptedLosses });
    const kept = sampleRecord({ dryRun: sampleDryRunRecord(crd, { losses: lossesWith(null) }), runs: [recorded] });
    const { total: _, checked: __, ...rest } = sampleDryRunRecord(crd, { losses: lossesWith("1") });
    const known: DryRun = {
      ...{ ...rest, crd: crd.name, phase: "succeeded", startedAt: at.at, sampleSize: 100, checks: [], message: null },
      dryRun: {
        ...{ total: 3, planned: 3, alreadyCurrent: 0, checked: 3, onlyRead: 0, wouldPass: 3, wouldBeRejected: 0, gone: 0, cannotDryRun: 0 },
        ...{ rejections: [], cannot: [], generationRises: 0 },
      },
    };
    expect(reportOf(crd, kept, recorded, context, NOON, [known]).losses).toEqual(lossesWith("1"));
    expect(reportOf(crd, kept, recorded, context, NOON, [{ ...known, id: "another" }]).losses).toEqual(lossesWith(null));
    expect(reportOf(crd, sampleRecord({ runs: [recorded] }), recorded, context, NOON).losses).toBeNull();
  });
});
