import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countTests } from "./run-tests.mjs";

test("the number of tests is the sum of Vitest's and Playwright's reports", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-reports-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(countTests(folder)).toEqual({ passed: 0, failed: 0 });

  await writeFile(path.join(folder, "unit.json"), JSON.stringify({ numPassedTests: 40, numFailedTests: 1 }));
  await writeFile(path.join(folder, "browser.json"), JSON.stringify({ stats: { expected: 7, unexpected: 2, flaky: 1, skipped: 3 } }));
  expect(countTests(folder)).toEqual({ passed: 48, failed: 3 });
});
