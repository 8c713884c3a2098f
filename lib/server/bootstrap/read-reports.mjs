import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";

/**
 * Sums up the tests in a folder of JSON reports: those of Vitest, and of Playwright (where a test that passed on its
 * second try is "flaky", and passed). `failures` names each that failed, with the first line of why.
 * @param {string} folder
 */
export function readReports(folder) {
  /** @type {{ passed: number, failed: number, failures: string[] }} */
  const all = { passed: 0, failed: 0, failures: [] };
  for (const file of readdirSync(folder)) {
    const report = JSON.parse(readFileSync(path.join(folder, file), "utf8"));
    const stats = report.stats ?? {};
    all.passed += report.numPassedTests ?? (stats.expected ?? 0) + (stats.flaky ?? 0);
    all.failed += report.numFailedTests ?? stats.unexpected ?? 0;
    all.failures.push(...failuresOfVitest(report), ...failuresOfPlaywright(report));
  }
  return all;
}

/** @param {VitestReport} report */
function failuresOfVitest({ testResults = [] }) {
  return testResults
    .filter(({ status }) => status === "failed")
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      const inFile = path.relative(process.cwd(), name);
      // Without one, the file itself couldn't be run.
      if (failed.length === 0) return [failure([inFile], message)];
      return failed.map(({ fullName, failureMessages }) => failure([inFile, fullName], failureMessages[0]));
    });
}

/** @param {PlaywrightReport} report @returns {string[]} */
function failuresOfPlaywright({ suites = [] }) {
  return suites.flatMap((suite) => [
    ...failuresOfPlaywright(suite),
    ...(suite.specs ?? [])
      .filter(({ ok }) => !ok)
      .map(({ file, title, tests }) => failure([file, title], tests[0]?.results[0]?.error?.message)),
  ]);
}

/** @param {string[]} where @param {string | undefined} why */
function failure(where, why) {
  return `${where.join(" > ")}: ${stripVTControlCharacters(why ?? "no error was reported").split("\n", 1)[0]}`;
}

/**
 * https://vitest.dev/guide/reporters#json-reporter and https://playwright.dev/docs/test-reporters#json-reporter, what is read of them.
 * @typedef {{ testResults?: {
 *   name: string, status: string, message?: string,
 *   assertionResults: { status: string, fullName: string, failureMessages: string[] }[],
 * }[] }} VitestReport
 * @typedef {{
 *   suites?: PlaywrightReport[],
 *   specs?: { file: string, title: string, ok: boolean, tests: { results: { error?: { message?: string } }[] }[] }[],
 * }} PlaywrightReport
 */
