import { describe, expect, onTestFinished, test, vi } from "vitest";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { type HistoryEntry, type HistoryFact, mergeHistory, newestEntries, rememberedFacts } from "./history.ts";

const nothingKept = sampleCrd();

const NOON = Date.parse("2026-01-02T12:00:00.000Z");

function told(changes: Partial<HistoryFact>): HistoryFact {
  return { kind: "paused", at: "2026-01-02T11:59:30.000Z", by: "bob", run: "run-1", message: "The rewrite was paused.", ...changes };
}

describe("what the annotation tells", () => {
  test("is every run with its start and end, the dry run, the proof and the prune", () => {
    const crd = sampleCrd();
    const ended = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", provenObjects: 100 });
    const record = sampleRecord({
      runs: [ended],
      proof: sampleProof(crd, { objects: 100 }),
      dryRun: sampleDryRunRecord(crd),
      prune: { versions: ["v1beta1"], prunedAt: "2026-01-02T12:05:00.000Z", by: "carol", runId: "run-1", reason: null },
    });
    expect(rememberedFacts({ ...nothingKept, record }, NOON).map(({ kind, at, by, run }) => [kind, at.slice(11, 19), by, run])).toEqual([
      ["started", "11:59:00", "alice", "run-1"],
      ["succeeded", "12:00:00", null, "run-1"],
      ["dry-run", "11:58:00", "alice", null],
      ["proven", "12:00:00", null, "run-1"],
      ["pruned", "12:05:00", "carol", "run-1"],
    ]);
    expect(rememberedFacts({ ...nothingKept, record }, NOON)[1]?.message).toBe("The rewrite is proven: all 100 objects are stored as v1.");
  });

  test.each([
    ["is at work", NOON, ["started"]],
    ["fell silent", NOON + 46_000, ["started", "interrupted"]],
  ])("of a run that %s shows no end that was never written, only the silence", (_, now, kinds) => {
    expect(rememberedFacts({ ...nothingKept, record: sampleRecord({ runs: [sampleRun()] }) }, now).map(({ kind }) => kind)).toEqual(kinds);
  });

  test("is what a dry run found, losses included", () => {
    const losses = ["spec.a", "spec.b", "spec.c"].map((path) => ({ kind: "dropped" as const, path, objects: 20, examples: [] }));
    const message = (changes: Parameters<typeof sampleDryRunRecord>[1]) => {
      const record = sampleRecord({ dryRun: sampleDryRunRecord(sampleCrd(), changes) });
      return rememberedFacts({ ...nothingKept, record }, NOON)[0]?.message;
    };
    expect(message({ losses })).toBe("Dry run: 100 of 100 objects tried; none would be rejected; 3 fields would be dropped.");
    expect(message({ wouldBeRejected: 2 })).toBe("Dry run: 100 of 100 objects tried; 2 would be rejected; nothing would be lost.");
  });

  // Without claims (history.ts) whoever may patch a definition has its history say that it is proven.
  // With formatCount (history.ts) it was "1 objects".
  test("counts one object as one", () => {
    const proof = { ...sampleProof(nothingKept), objects: 1 };
    const told = rememberedFacts({ ...nothingKept, record: sampleRecord({ proof }) }, NOON).map(({ message }) => message);
    expect(told).toEqual([expect.stringContaining(": 1 object at v1,")]);
  });

  test("names nobody for a dry run that this installation did not sign, and tells no figure of it", () => {
    const record = sampleRecord({ dryRun: sampleDryRunRecord(nothingKept) });
    const [fact] = rememberedFacts({ ...nothingKept, claims: { proof: false, settlePoint: false, dryRun: true }, record }, NOON);
    expect(fact).toMatchObject({ kind: "dry-run", by: null, message: expect.stringContaining("this installation didn't sign it") });
  });

  test("is a claim where this installation did not sign the proof, and so is the success that it names", () => {
    const ended = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z" });
    const record = sampleRecord({ runs: [ended], proof: sampleProof(nothingKept) });
    const facts = rememberedFacts({ ...nothingKept, claims: { proof: true, settlePoint: false, dryRun: false }, record }, NOON);
    expect(facts.map(({ kind, message }) => [kind, message]).slice(1)).toEqual([
      [
        "succeeded",
        "The rewrite reports success, but its proof is claimed, not signed by this installation: a rewrite verifies it, and so does a prune of up to 1,000 objects.",
      ],
      ["claimed", expect.stringMatching(/^The proof of 1,500 objects .* is claimed, not signed by this installation/)],
    ]);
  });

  // Without successMessage (history.ts) it says of each that all objects are stored as v1.
  test.each<[string, Parameters<typeof sampleRecord>[0], string]>([
    ["on record", {}, "The rewrite reports success, but neither its proof nor a later rewrite's is on record. Careful."],
    [
      "its own any more",
      { proof: sampleProof(nothingKept, { runId: "run-2" }) },
      "All 100 objects were stored as v1 when it ended. A later rewrite's proof has replaced its proof. Careful.",
    ],
  ])("is no success that holds where no proof is %s", (_, record, message) => {
    const ended = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:00:00.000Z", provenObjects: 100, statusReason: "Careful." });
    const facts = rememberedFacts({ ...nothingKept, record: sampleRecord({ ...record, runs: [ended] }) }, NOON);
    expect(facts[1]).toMatchObject({ kind: "succeeded", message });
  });

  test("is what was taken away and kept for its undo", () => {
    const newer = { version: "v1beta1", removedAt: "2026-01-02T11:00:00.000Z", by: "alice" };
    const older = { version: "v1alpha1", removedAt: "2026-01-02T10:00:00.000Z", by: null };
    const droppedConversion = { target: "https://127.0.0.1/convert", droppedAt: "2026-01-02T11:30:00.000Z", by: null };
    expect(rememberedFacts({ ...nothingKept, removedVersions: [newer, older], droppedConversion }, NOON)).toEqual([
      {
        kind: "removed",
        at: newer.removedAt,
        by: "alice",
        run: null,
        versions: ["v1beta1"],
        message: "v1beta1 was removed from spec.versions.",
      },
      {
        kind: "removed",
        at: older.removedAt,
        by: null,
        run: null,
        versions: ["v1alpha1"],
        message: "v1alpha1 was removed from spec.versions.",
      },
      {
        ...{ kind: "unconverted", at: droppedConversion.droppedAt, by: null, run: null },
        message: "The conversion webhook at https://127.0.0.1/convert was dropped.",
      },
    ]);
  });

  test.each([null, "unreadable" as const])("is nothing where there is none: %s", (record) => {
    expect(rememberedFacts({ ...nothingKept, record }, NOON)).toEqual([]);
  });
});

describe("what the annotation and Events tell", () => {
  const start = told({ kind: "started", at: "2026-01-02T11:59:00.000Z", by: "alice" });
  const end = told({ kind: "succeeded", at: "2026-01-02T12:00:00.000Z", by: null });

  test("is one entry where both tell the same, newest first; whom only an Event names is named by an Event", () => {
    const events = [told({ kind: "started", at: "2026-01-02T11:59:00.400Z", by: "alice" }), told({}), { ...end, by: "mallory" }];
    expect(mergeHistory([start, end], events).map(({ kind, by, sources }) => [kind, by, sources])).toEqual([
      ["succeeded", { user: "mallory", from: "event" }, ["annotation", "event"]],
      ["paused", { user: "bob", from: "event" }, ["event"]],
      ["started", { user: "alice", from: "annotation" }, ["annotation", "event"]],
    ]);
    expect(mergeHistory([end], [end])[0]?.by).toBeNull();
  });

  test("has a reason below what it was given for, in the very same millisecond, too", () => {
    const reason = told({ kind: "justified", at: start.at, run: null });
    const kinds = (events: HistoryFact[]) => mergeHistory([start], events).map(({ kind }) => kind);
    expect([kinds([reason, start]), kinds([start, reason])]).toEqual(Array(2).fill(["started", "justified"]));
    const change = told({ kind: "changed", at: start.at, run: null });
    expect(mergeHistory([], [reason, change]).map(({ kind }) => kind)).toEqual(["changed", "justified"]);
  });

  test("is by whom the annotation says, whatever an Event claims", () => {
    const entries = mergeHistory([start], [{ ...start, by: "mallory" }]);
    expect(entries.map(({ by, sources }) => [by?.user, by?.from, sources])).toEqual([["alice", "annotation", ["annotation", "event"]]]);
  });

  test("stays apart where an Event puts what a run does once at quite another time", () => {
    const entries = mergeHistory([end], [{ ...end, at: "2026-01-02T12:01:01.000Z", by: "mallory" }]);
    expect(entries.map(({ by, sources }) => [by, sources])).toEqual([
      [{ user: "mallory", from: "event" }, ["event"]],
      [null, ["annotation"]],
    ]);
  });

  test("stays apart for what a run did twice, and for two runs", () => {
    const twice = [told({}), told({ at: "2026-01-02T11:59:40.000Z" })];
    expect(mergeHistory([], twice)).toHaveLength(2);
    expect(mergeHistory([end], [{ ...end, run: "run-2" }])).toHaveLength(2);
  });

  test("is matched by its time where no run tells it: the newest prune is remembered, an older one only has its Event", () => {
    const prune = { ...end, kind: "pruned" as const, run: null };
    const entries = mergeHistory(
      [prune],
      [
        { ...prune, run: "run-1" },
        { ...prune, at: "2026-01-02T11:00:00.000Z", run: "run-0" },
      ],
    );
    // Whatever run the Event says, the annotation tells of none.
    expect(entries.map(({ run, sources }) => [run, sources])).toEqual([
      [null, ["annotation", "event"]],
      ["run-0", ["event"]],
    ]);
  });

  test("an interruption that was resumed is another than the one that the annotation shows now", () => {
    const now = { ...end, kind: "interrupted" as const };
    expect(mergeHistory([now], [{ ...now, at: "2026-01-02T11:30:00.000Z" }])).toHaveLength(2);
  });
});

test("of many entries all that the annotation tells are kept, and the newest of the others", () => {
  const entry = (minute: number, sources: HistoryEntry["sources"]): HistoryEntry => ({
    ...told({ at: `2026-01-02T11:${minute}:00.000Z` }),
    ...{ by: null, sources },
  });
  const [newest, newer, old, oldest] = [
    entry(40, ["event"]),
    entry(30, ["event"]),
    entry(20, ["event"]),
    entry(10, ["annotation"]),
  ] as const;
  expect(newestEntries([newest, newer, old, oldest], 2)).toEqual({ items: [newest, newer, oldest], more: 1 });
  expect(newestEntries([newest, oldest], 2)).toEqual({ items: [newest, oldest], more: 0 });
});

// Sorted by times that are parsed in each comparison, thousands of Events hold everyone up.
test("the time of each Event is read a few times, however many there are", () => {
  const facts = Array.from({ length: 1_000 }, (_, index) => told({ at: new Date(NOON + ((index * 7_919) % 1_000)).toISOString() }));
  const parsed = vi.spyOn(Date, "parse");
  onTestFinished(() => parsed.mockRestore());
  const merged = mergeHistory([], facts);
  expect(parsed.mock.calls.length).toBeLessThan(5 * facts.length);
  expect(merged.map(({ at }) => at)).toEqual(
    facts
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  );
});
