import { expect, test } from "vitest";
import { hasOurSignature, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { rewriteRecordSchema } from "#lib/contract/rewrite/rewrite-record.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { RECORD_MAX_BYTES } from "#lib/domain/rewrite/record-room.ts";
import { recordText } from "./record-text.ts";

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

test("what is short stays as it is", () => {
  const record = sampleRecord({ runs: [sampleRun({ statusReason: "429 of 500" })] });
  expect(JSON.parse(recordText(record))).toEqual(record);
});
