import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countTests } from "./count-tests.mjs";
import { testSteps } from "./test-steps.mjs";

/** @typedef {import("./test-steps.mjs").TestStep} TestStep */

const everyTime = ["static", "unit", "integration", "browser"];
const parts = [...everyTime, "fast", "long"];

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
    for (const name of failed) console.log(`FAILED: ${name}. Its output is above; the steps after it were not run.`);
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
  const quietly = lane("checks").length > 0 && lane("cluster").length > 0;

  /** @param {TestStep[]} ones @param {boolean} quietly */
  const runLane = async (ones, quietly) => {
    for (const { name, run, unknown } of ones) {
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
        stop.abort();
      }
    }
  };
  await Promise.all([runLane(lane("checks"), quietly), runLane(lane("cluster"), false)]);
  await runLane(lane("last"), false);
  return result;
}

/** @param {number} since */
function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
