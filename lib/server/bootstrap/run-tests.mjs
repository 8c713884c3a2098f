import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { countTests } from "./count-tests.mjs";
import { testSteps } from "./test-steps.mjs";

const everyTime = ["static", "unit", "integration", "browser"];
const parts = [...everyTime, "long"];

/**
 * Runs every check but the long ones, or those of one part, in order and up to the first that fails. The last line is the
 * number of tests.
 * @param {string[]} args none, or the part's name
 * @returns {Promise<number>} the exit code
 */
export async function runTests([part]) {
  if (part !== undefined && !parts.includes(part)) {
    throw new Error(`There is no part "${part}" of the tests. Name one of ${parts.join(", ")}, or none for all but the last.`);
  }
  const wanted = part === undefined ? everyTime : [part];
  const reports = mkdtempSync(path.join(tmpdir(), "crdshift-test-"));
  try {
    const steps = testSteps(reports).filter((step) => step.parts.some((name) => wanted.includes(name)));
    const { timings, unknown, failedStep } = await runSteps(steps);
    const { passed, failed } = countTests(reports);
    console.log(`\n${timings.join(" · ")}`);
    for (const name of unknown) console.log(`NOT KNOWN: ${name}. Its output above says why; it counts neither as passed nor as failed.`);
    if (failedStep) console.log(`FAILED: ${failedStep}. Its output is above; what comes after it was not run.`);
    console.log(`${passed} passed, ${failed} failed`);
    return failedStep || failed > 0 ? 1 : 0;
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** @param {import("./test-steps.mjs").TestStep[]} steps */
async function runSteps(steps) {
  const timings = [];
  const unknown = [];
  for (const { name, run, unknown: unknownCode } of steps) {
    const startedAt = performance.now();
    console.log(`\n── ${name}`);
    const code = await run().catch((error) => {
      console.error(error instanceof Error ? error.message : error);
      return 1;
    });
    const elapsed = `${name} ${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    timings.push(elapsed);
    console.log(`── ${elapsed}`);
    if (code !== 0 && code === unknownCode) unknown.push(name);
    else if (code !== 0) return { timings, unknown, failedStep: name };
  }
  return { timings, unknown, failedStep: undefined };
}
