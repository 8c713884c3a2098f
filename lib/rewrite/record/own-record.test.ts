import { expect, test } from "vitest";
import { sampleRecord, sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { ownRecord } from "./own-record.ts";

const begun = sampleRun({ phase: "rewriting", renewedAt: "2026-01-02T12:00:00.000Z" });
const older = { ...begun, renewedAt: "2026-01-02T11:59:00.000Z" };
const stopOf = (holder: string | null, run = older, renewedAt = begun.renewedAt, sent: string[] = []) => {
  try {
    return ownRecord(sampleRecord({ holder, runs: [run] }), { run: begun, renewedAt, sent });
  } catch (error) {
    return error;
  }
};

// Where the older renewal alone decides, the person is told that someone put an older record back, and the run goes on elsewhere.
test("a run that another crdshift holds was taken over, also by one whose clock is behind", () => {
  expect(stopOf("another")).toMatchObject({ phase: "elsewhere" });
  expect(stopOf("another", { ...older, renewedAt: "2026-01-02T12:01:00.000Z" })).toMatchObject({ phase: "elsewhere" });
});

test("an older record in which nobody works on the run was put back", () => {
  expect(stopOf(null)).toMatchObject({ phase: "lost" });
  expect(stopOf("another", { ...older, phase: "interrupted" })).toMatchObject({ phase: "lost" });
  expect(stopOf(holderName(), begun)).toMatchObject({ runs: [begun] });
});

// With the renewal at the beginning alone, a run goes on over a restore to a backup taken while it ran.
test("nor is a record its own that is older than it has written it last", () => {
  expect(stopOf(holderName(), begun, "2026-01-02T12:00:15.000Z")).toMatchObject({ phase: "lost" });
  expect(stopOf(holderName(), begun, begun.renewedAt)).toMatchObject({ runs: [begun] });
  // By a clock that was set back meanwhile.
  expect(stopOf(holderName(), older, begun.renewedAt, [older.renewedAt])).toMatchObject({ runs: [older] });
});
