import { expect, test } from "vitest";
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
