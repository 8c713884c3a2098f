import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Sums up the tests in a folder of JSON reports: those of Vitest, and of Playwright (where a test that passed on its
 * second try is "flaky", and passed).
 * @param {string} folder
 */
export function countTests(folder) {
  const counts = { passed: 0, failed: 0 };
  for (const file of readdirSync(folder)) {
    const report = JSON.parse(readFileSync(path.join(folder, file), "utf8"));
    const stats = report.stats ?? {};
    counts.passed += report.numPassedTests ?? (stats.expected ?? 0) + (stats.flaky ?? 0);
    counts.failed += report.numFailedTests ?? stats.unexpected ?? 0;
  }
  return counts;
}
