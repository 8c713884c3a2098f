import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { testSteps } from "./test-steps.mjs";

/** @typedef {import("./test-steps.mjs").TestStep} TestStep */

const everyTime = ["static", "unit", "integration", "browser"];
const parts = [...everyTime, "fast", "long", "versions"];

/**
 * Runs every check but the long ones, or those of one part, until one fails. The last line is the number of tests.
 * @param {string[]} args none, or the part's name
 * @returns {Promise<number>} the exit code
 */
export async function runTests([part]) {
  if (part !== undefined && !parts.includes(part)) {
    throw new Error(`There is no part "${part}" of the tests. Name one of ${parts.join(", ")}, or none for all but the long ones.`);
  }
  const wanted = part === undefined ? everyTime : [part];
  const reports = mkdtempSync(path.join(tmpdir(), "crdshift-test-"));
  const startedAt = performance.now();
  try {
    const steps = testSteps(reports).filter((step) => step.parts.some((name) => wanted.includes(name)));
    const { timings, unknown, failed } = await runLanes(steps);
    const counts = countTests(reports);
    console.log(`\n${timings.join(" · ")} · all ${seconds(startedAt)}`);
    for (const name of unknown) console.log(`UNKNOWN: ${name}. Its output above says why; it counts as neither passed nor failed.`);
    for (const name of failed)
      console.log(`FAILED: ${name}. Its output is above${part === "versions" ? "" : "; the steps after it were not run"}.`);
    console.log(`${counts.passed} passed, ${counts.failed} failed`);
    return failed.length > 0 || counts.failed > 0 ? 1 : 0;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** @param {TestStep[]} steps */
async function runLanes(steps) {
  /** @type {Record<"timings" | "unknown" | "failed", string[]>} */
  const result = { timings: [], unknown: [], failed: [] };
  const stop = new AbortController();
  /** @param {TestStep["lane"]} name */
  const lane = (name) => steps.filter((step) => step.lane === name);

  /** @param {TestStep[]} ones @param {boolean} quietly */
  const runLane = async (ones, quietly) => {
    for (const { name, run, unknown, isAlone } of ones) {
      if (stop.signal.aborted) return;
      const startedAt = performance.now();
      if (!quietly) console.log(`\n── ${name}`);
      const { code, output } = await run({ signal: stop.signal, quietly }).catch((error) => ({
        code: 1,
        output: `${error instanceof Error ? error.message : error}\n`,
      }));
      // What was stopped because another step failed has neither passed nor failed.
      if (stop.signal.aborted) return;
      const isUnknown = code !== 0 && code === unknown;
      if (code !== 0 && output) console.log(`\n${output}`);
      result.timings.push(`${name} ${seconds(startedAt)}`);
      console.log(`── ${name} ${seconds(startedAt)}`);
      if (isUnknown) result.unknown.push(name);
      else if (code !== 0) {
        result.failed.push(name);
        if (!isAlone) stop.abort();
      }
    }
  };
  const sideBySide = [lane("checks"), lane("tests"), lane("cluster")].filter((ones) => ones.length > 0);
  // Only the last of them shows its output as it comes.
  await Promise.all(sideBySide.map((ones, index) => runLane(ones, index < sideBySide.length - 1)));
  await runLane(lane("last"), false);
  return result;
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

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
