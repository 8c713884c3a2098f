import { expect, test } from "vitest";
import { rewriteRecordSchema } from "#lib/contract/rewrite-record.ts";
import { sampleCrd, sampleProof, sampleRecord, sampleRun } from "#lib/domain/sample-crd.ts";
import { RECORD_MAX_BYTES, recordText } from "./record-text.ts";

test("words of any length are cut, so that the annotation fits and the newest run keeps the rest of them", () => {
  const words = `the webhook says ${"ü".repeat(20_000)}`;
  const rejections = [{ reason: "Forbidden", message: words, count: 1, examples: [] }];
  const run = sampleRun({ phase: "blocked", pausedBecause: words, heldBackBecause: words, rejections });
  const record = sampleRecord({ proof: sampleProof(sampleCrd()), runs: [run, sampleRun({ id: "run-0", pausedBecause: words })] });
  const text = recordText(record);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(RECORD_MAX_BYTES);
  const { proof, runs } = rewriteRecordSchema.parse(JSON.parse(text));
  expect(proof).toEqual(record.proof);
  expect(runs.map(({ id }) => id)).toEqual(["run-1", "run-0"]);
  const kept = [runs[0]?.pausedBecause, runs[0]?.heldBackBecause, runs[0]?.rejections[0]?.message, runs[1]?.pausedBecause];
  for (const cut of kept) expect(cut).toMatch(/^the webhook says ü{400,600}…$/);
});

test("the words of another engine are cut, too", () => {
  const delegation = { migration: "m", phase: null, message: "x".repeat(20_000), left: null, startedAt: null, endedAt: null };
  const run = sampleRun({ delegation: { ...delegation, storedVersionsBefore: ["v1"], putBack: [] } });
  expect(Buffer.byteLength(recordText(sampleRecord({ runs: [run] })))).toBeLessThan(4_096);
});

test("what is short stays as it is", () => {
  const record = sampleRecord({ runs: [sampleRun({ pausedBecause: "429 of 500" })] });
  expect(JSON.parse(recordText(record))).toEqual(record);
});
