import { expect, test } from "vitest";
import { NOTHING_SENT } from "#lib/domain/rewrite/sent-patches.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { countedAtLeast, noteLostRun } from "./lost-runs.ts";

// Without crd in runKeyText (run-key.ts), whoever copies a run to another definition and loses it there makes its counts doubtful.
test("that a copy of a run was lost at another definition says nothing of the run", () => {
  const run = sampleRun({ id: "copied", phase: "interrupted" });
  noteLostRun({ ...run, crd: "other.example.com" });
  expect(countedAtLeast(run).rewrittenAtLeast).toBe(false);
  noteLostRun(run);
  expect(countedAtLeast(run).rewrittenAtLeast).toBe(true);
});

// Otherwise a run that was killed in its dry run leaves a doubt once it is cancelled, and the definition is blocked.
test("a run that went silent before its settle point was recorded has rewritten nothing, but may have sent more patches", () => {
  const sent = { ...NOTHING_SENT, dryRun: 7 };
  const silent = sampleRun({ id: "silent", phase: "settling", settledAt: null, sent });
  expect(countedAtLeast(silent)).toMatchObject({ rewrittenAtLeast: false, sent: { atLeast: true } });
  expect(countedAtLeast({ ...silent, settledAt: "2026-01-02T11:59:30.000Z" })).toMatchObject({ rewrittenAtLeast: true });
});
