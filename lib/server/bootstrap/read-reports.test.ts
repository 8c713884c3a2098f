import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readReports } from "./read-reports.mjs";

test("the number of tests is the sum of Vitest's and Playwright's reports", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-reports-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(readReports(folder)).toEqual({ passed: 0, failed: 0, failures: [] });

  await writeFile(path.join(folder, "unit.json"), JSON.stringify({ numPassedTests: 40, numFailedTests: 1 }));
  await writeFile(path.join(folder, "browser.json"), JSON.stringify({ stats: { expected: 7, unexpected: 2, flaky: 1, skipped: 3 } }));
  expect(readReports(folder)).toEqual({ passed: 48, failed: 3, failures: [] });
});

test("each test that failed is named, with its file and the first line of why", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-reports-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const passed = { status: "passed", fullName: "adds", failureMessages: [] };
  const testResults = [
    { name: path.resolve("lib/a.test.ts"), status: "passed", message: "", assertionResults: [passed] },
    {
      name: path.resolve("lib/b.test.ts"),
      status: "failed",
      message: "",
      assertionResults: [
        passed,
        { status: "failed", fullName: "sums up", failureMessages: ["\u001b[31mexpected 2 to be 3\u001b[39m\n  at b"] },
      ],
    },
    { name: path.resolve("lib/c.test.ts"), status: "failed", message: "No such module: d.ts\n", assertionResults: [] },
  ];
  await writeFile(path.join(folder, "unit.json"), JSON.stringify({ numPassedTests: 2, numFailedTests: 1, testResults }));
  const spec = (title: string, ok: boolean) => ({
    ...{ file: "e2e/runs.spec.ts", title, ok },
    tests: [{ results: [ok ? {} : { error: { message: "Timed out\nCall log" } }] }],
  });
  const suites = [{ specs: [spec("begins", true)], suites: [{ specs: [spec("ends", false), spec("pauses", true)] }] }];
  await writeFile(path.join(folder, "browser.json"), JSON.stringify({ stats: { expected: 2, unexpected: 1 }, suites }));
  expect(readReports(folder).failures.toSorted()).toEqual([
    "e2e/runs.spec.ts > ends: Timed out",
    "lib/b.test.ts > sums up: expected 2 to be 3",
    "lib/c.test.ts: No such module: d.ts",
  ]);
});
