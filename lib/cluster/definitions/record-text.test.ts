import { expect, test } from "vitest";
import { hasOurSignature, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { seededRandom } from "#lib/cluster/testing/seeded-random.ts";
import { rewriteRecordSchema } from "#lib/contract/rewrite/rewrite-record.ts";
import { type LossKind, lossKinds } from "#lib/domain/losses/losses.ts";
import { RECORD_MAX_BYTES } from "#lib/domain/record/record-room.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { fullRecordText, recordText } from "./record-text.ts";

test("words of any length are cut, so that the annotation fits and the newest run keeps the rest of them", () => {
  const words = `the webhook says ${"ü".repeat(20_000)}`;
  const rejections = [{ reason: "Forbidden", message: words, count: 1, examples: [] }];
  const run = sampleRun({ phase: "unproven", statusReason: words, heldBackBecause: words, rejections });
  const record = sampleRecord({ proof: sampleProof(sampleCrd()), runs: [run, sampleRun({ id: "run-0", statusReason: words })] });
  const text = recordText(record);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RECORD_MAX_BYTES);
  const { proof, runs } = rewriteRecordSchema.parse(JSON.parse(text));
  expect(proof).toEqual(record.proof);
  expect(runs.map(({ id }) => id)).toEqual(["run-1", "run-0"]);
  const kept = [runs[0]?.statusReason, runs[0]?.heldBackBecause, runs[0]?.rejections[0]?.message, runs[1]?.statusReason];
  for (const cut of kept) expect(cut).toMatch(/^the webhook says ü{400,600}…$/);
});

test("the words of another engine are cut, too", () => {
  const delegation = { migration: "m", phase: null, message: "x".repeat(20_000), left: null, startedAt: null, endedAt: null };
  const run = sampleRun({ delegation: { ...delegation, storedVersionsBefore: ["v1"], putBack: [] } });
  expect(Buffer.byteLength(recordText(sampleRecord({ runs: [run] })))).toBeLessThan(4_096);
});

test("the longest reasons fit beside all that the newest run has to say", () => {
  const words = "x".repeat(20_000);
  const reason = { text: "変".repeat(500), by: "alice", at: "2026-01-02T12:00:00.000Z" };
  const runs = ["run-1", "run-2", "run-3", "run-4", "run-5"].map((id) =>
    sampleRun({ id, statusReason: words, heldBackBecause: words, reasons: [reason, reason] }),
  );
  const prune = { versions: ["v1beta1"], prunedAt: reason.at, by: "alice", runId: "run-1", reason: reason.text };
  const text = recordText(sampleRecord({ proof: sampleProof(sampleCrd()), prune, runs }));
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RECORD_MAX_BYTES);
  const kept = rewriteRecordSchema.parse(JSON.parse(text));
  expect([kept.runs[0]?.reasons, kept.prune?.reason]).toEqual([[reason, reason], reason.text]);
});

test("what old runs were resumed for goes before the runs themselves", () => {
  const reason = { text: "変".repeat(500), by: "alice", at: "2026-01-02T12:00:00.000Z" };
  const runs = ["run-1", "run-2", "run-3", "run-4", "run-5"].map((id) => sampleRun({ id, reasons: [reason, reason] }));
  const kept = rewriteRecordSchema.parse(JSON.parse(recordText(sampleRecord({ runs }))));
  expect(kept.runs.map(({ reasons }) => reasons.length)).toEqual([2, 2, 1, 1, 1]);
});

// Without mostLosses (record-text.ts) managedFields go untold, and without signed (record-text.ts) what is left can't be accepted.
test("a dry run that is cut to fit keeps a loss of every kind and its signature, and a claim gets none", () => {
  const reason = { text: "変".repeat(500), by: "alice", at: "2026-01-02T12:00:00.000Z" };
  const runs = ["run-1", "run-2", "run-3", "run-4", "run-5"].map((id) => sampleRun({ id, reasons: [reason, reason] }));
  const dropped = ["a", "b", "c", "d", "e"].map((name) => ({ kind: "dropped" as const, path: `spec.${name}`, objects: 3, examples: [] }));
  const ownership = { kind: "managed-fields" as const, path: "metadata.managedFields", objects: 3, examples: [] };
  const claim = sampleDryRunRecord(sampleCrd(), { losses: [...dropped, ownership] });
  const kept = (dryRun: typeof claim) => rewriteRecordSchema.parse(JSON.parse(recordText(sampleRecord({ dryRun, runs })))).dryRun;
  const cut = { losses: [...dropped.slice(0, 3), ownership], moreLosses: 2 };
  expect(kept(signed(claim))).toMatchObject(cut);
  expect(hasOurSignature(kept(signed(claim)))).toBe(true);
  expect(kept({ ...claim, signature: "AAAA" })).toMatchObject(cut);
  expect(hasOurSignature(kept({ ...claim, signature: "AAAA" }))).toBe(false);
});

const losses = (count: number, path: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => ({ kind: "dropped" as const, path: path(index), objects: 3 }));
const accepting = (listed: ReturnType<typeof losses>): AcceptedLosses => ({
  ...{
    by: "alice",
    at: "2026-01-02T12:00:00.000Z",
    dryRun: "dry-run-1",
    losses: listed,
    more: 0,
    sample: null,
    unseen: false,
    of: null,
    signature: null,
  },
});
const parsed = (record: RewriteRecord) => rewriteRecordSchema.parse(JSON.parse(recordText(record)));
/** The paths that are listed, and how many more are counted. */
const listed = (accepted: AcceptedLosses | null | undefined) => [accepted?.losses.length, accepted?.more];

// Without listableLosses (dry-run-record.ts) the longest names of 38 fields take 16 KiB, and the proof, which lists them again, has no room.
test("what was accepted is cut after five kilobytes, the others counted, and the proof is signed as it is then", () => {
  const acceptedLosses = accepting(losses(38, (index) => `spec.f${index}${"x".repeat(197)}`));
  const run = sampleRun({ acceptedLosses });
  const begun = parsed(sampleRecord({ runs: [run] })).runs[0]?.acceptedLosses;
  const [length = 0, more = 0] = listed(begun);
  expect([length + more, length > 15, more > 0]).toEqual([38, true, true]);
  const proof = signed(sampleProof(sampleCrd(), { acceptedLosses: begun ?? null }));
  const ended = parsed(sampleRecord({ proof, runs: [{ ...run, phase: "succeeded" }] }));
  expect([ended.proof, ended.runs[0]?.acceptedLosses]).toEqual([proof, begun]);
  const claim = sampleProof(sampleCrd(), { acceptedLosses, signature: "AAAA" });
  expect([signed({ ...claim }), claim].map((part) => hasOurSignature(parsed(sampleRecord({ proof: part })).proof))).toEqual([true, false]);
});

test("forty paths of ordinary length are all listed", () => {
  const acceptedLosses = accepting(losses(40, (index) => `spec.template.spec.containers[].resources.field${index}`));
  expect(listed(parsed(sampleRecord({ runs: [sampleRun({ acceptedLosses })] })).runs[0]?.acceptedLosses)).toEqual([40, 0]);
});

const SIZES = [0, 1, 7, 40];

// Whatever else the record says: what a run begins with, it can end with.
test("whatever sizes its parts have, it fits, and keeps the settle point and the proof with its signature", () => {
  const random = seededRandom(20_260_102);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)] as Value;
  const words = () => pick(["x", "ü", "変", '"', "\n", "\u0001"]).repeat(pick([0, 40, 1_000, 20_000]));
  const crd = sampleCrd();
  const at = "2026-01-02T12:00:00.000Z";
  for (let turn = 0; turn < 150; turn += 1) {
    const name = pick(["x", "ü", "変", '"']);
    const anyLosses = () => losses(pick(SIZES), (index) => `spec.f${index}${name.repeat(pick([1, 60, 290]))}`);
    const maybe = () => (random() < 0.7 ? accepting(anyLosses()) : null);
    const reason = () => ({ text: "変".repeat(pick([0, 500])), by: "alice", at });
    const rejection = () => ({ reason: "Forbidden", message: words(), count: 3, examples: Array.from({ length: 10 }, longObject) });
    const longObject = () => ({ namespace: "n".repeat(63), name: "o".repeat(253) });
    const run = (id: string) =>
      sampleRun({
        ...{ id, statusReason: words(), heldBackBecause: words(), acceptedLosses: maybe(), reasons: [reason(), reason()] },
        rejections: Array.from({ length: pick([0, 1, 8]) }, rejection),
        rates: { everySeconds: 1, perSecond: Array.from({ length: pick([0, 120]) }, () => 1_234.5) },
      });
    const prune = { versions: ["v1beta1"], prunedAt: at, by: "alice", runId: "run-1", reason: reason().text };
    const dryRunLosses = anyLosses().map((loss) => ({
      ...loss,
      examples: [{ ...longObject(), version: null, before: null, after: null }],
    }));
    const record = sampleRecord({
      settlePoint: signed(sampleSettlePoint(crd)),
      proof: signed(sampleProof(crd, { runId: pick(["run-1", "run-2"]), acceptedLosses: maybe() })),
      ...{ prune, pruning: prune, doubt: { rejected: 3 } },
      dryRun: signed(sampleDryRunRecord(crd, { losses: dryRunLosses })),
      runs: ["run-1", "run-2", "run-3", "run-4", "run-5"].slice(0, pick([1, 2, 5])).map(run),
    });
    const text = recordText(record);
    const kept = rewriteRecordSchema.parse(JSON.parse(text));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RECORD_MAX_BYTES);
    expect(kept).toMatchObject({ settlePoint: record.settlePoint, doubt: record.doubt });
    expect(kept.runs[0]?.id).toBe("run-1");
    expect(hasOurSignature(kept.proof)).toBe(true);
    const [before, after] = [record.proof, kept.proof].map((proof) => proof?.acceptedLosses ?? null);
    expect((after?.losses.length ?? 0) + (after?.more ?? 0)).toBe(before?.losses.length ?? 0);
    // Written once more, it stays as it is.
    expect(parsed(kept)).toEqual(kept);
  }
});

test("what is short stays as it is", () => {
  const record = sampleRecord({ runs: [sampleRun({ statusReason: "429 of 500" })] });
  expect(JSON.parse(recordText(record))).toEqual(record);
});

test("a full record says the same, and is as long as any may be", () => {
  const record = sampleRecord({ runs: [sampleRun()] });
  const full = fullRecordText(record);
  expect(Buffer.byteLength(full)).toBe(RECORD_MAX_BYTES);
  expect(JSON.parse(full)).toEqual(JSON.parse(recordText(record)));
});

test("in etcd, a full record takes no less than the longest one", () => {
  const inEtcd = (text: string) => Buffer.byteLength(JSON.stringify(text));
  const reason = { text: '"'.repeat(400), by: "alice", at: "2026-01-02T12:00:00.000Z" };
  const runs = ["run-1", "run-2", "run-3", "run-4", "run-5"].map((id) =>
    sampleRun({ id, statusReason: "x".repeat(900), reasons: [reason] }),
  );
  const longest = recordText(
    sampleRecord({ proof: sampleProof(sampleCrd()), runs: runs.map((run) => ({ ...run, heldBackBecause: "x".repeat(900) })) }),
  );
  expect(Buffer.byteLength(longest)).toBeGreaterThan(RECORD_MAX_BYTES / 2);
  for (const begun of [runs.slice(0, 1), runs.slice(0, 3)])
    expect(inEtcd(fullRecordText(sampleRecord({ runs: begun })))).toBeGreaterThan(inEtcd(longest));
});

// Whoever may patch the definition can write as much into its annotation as all of its annotations may have.
test.each<[string, (kinds: typeof lossKinds) => RewriteRecord]>([
  ["losses", (kinds) => sampleRecord({ dryRun: sampleDryRunRecord(sampleCrd(), { losses: kinds.flatMap(manyOf) }) })],
  ["rejections", () => sampleRecord({ runs: [sampleRun({ rejections: Array.from({ length: 3_000 }, () => rejected) })] })],
])("a record of thousands of %s is cut in a short turn", async (_, recordOf) => {
  const { longest, result } = await whileWatched(async () => recordText(recordOf(lossKinds)));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(Buffer.byteLength(result)).toBeLessThanOrEqual(RECORD_MAX_BYTES);
});

const rejected = { reason: "Forbidden", message: "no", count: 1, examples: [] };

function manyOf(kind: LossKind) {
  return Array.from({ length: 900 }, (_, index) => ({ kind, path: `f${index}`, objects: 1, examples: [] }));
}
