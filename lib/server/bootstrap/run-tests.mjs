import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "./build.mjs";
import { node24 } from "./node24.mjs";
import { readReports } from "./read-reports.mjs";
import { run, runStep } from "./run.mjs";

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
    const counts = readReports(reports);
    console.log(`\n${timings.join(" · ")} · all ${seconds(startedAt)}`);
    for (const name of unknown) console.log(`UNKNOWN: ${name}. Its output above says why; it counts as neither passed nor failed.`);
    for (const name of failed)
      console.log(`FAILED: ${name}. Its output is above${part === "versions" ? "" : "; the steps after it were not run"}.`);
    // Again, where whoever sees only the end of a log finds them.
    for (const failure of counts.failures) console.log(`FAILED: ${failure}`);
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
  // A Go build takes all cores for minutes, in which tests would run out of time.
  await runLane(lane("first"), false);
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
 * What `npm test`, `npm run test:long` and `npm run test:versions` do; each step gives an exit code. Steps of one lane run one after
 * the other: "first", then the lanes "checks", "tests" and "cluster" side by side, then "last". A step that ends with `unknown` could not
 * find out: that fails nothing, and is reported at the end. The steps after a failed one are run only where it `isAlone`.
 * @typedef {{ signal: AbortSignal, quietly: boolean }} StepOptions
 * @typedef {{ code: number, output: string }} StepResult
 * @typedef {"first" | "checks" | "tests" | "cluster" | "last"} Lane
 * @typedef {{
 *   name: string, lane: Lane, parts: string[], unknown?: number, isAlone?: boolean,
 *   run: (options: StepOptions) => Promise<StepResult>,
 * }} TestStep
 * @param {string} reports folder for the test runners' reports, as JSON
 * @returns {TestStep[]}
 */
function testSteps(reports) {
  /** @param {string} name @param {string} [report] */
  const vitest = (name, report = name.replace("*", "")) => [
    "vitest",
    ...["run", "--project", name, "--reporter=default", "--reporter=json", `--outputFile.json=${path.join(reports, `${report}.json`)}`],
  ];
  /** @param {string} project */
  const playwright = (project) =>
    tool(["playwright", "test", "--project", project, "--reporter=list,json"], {
      PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(reports, `playwright-${project}.json`),
    });
  const findPrograms = ["lib/local-cluster/binaries/find-program.ts"];
  return [
    { name: "Route types", lane: "checks", parts: ["static", "fast"], run: tool(["next", "typegen"]) },
    { name: "Types", lane: "checks", parts: ["static", "fast"], run: tool(["tsc", "--noEmit"]) },
    { name: "Lint and format", lane: "checks", parts: ["static", "fast"], run: tool(["biome", "ci", "."]) },
    { name: "Unused code", lane: "checks", parts: ["static", "fast"], run: tool(["knip"]) },
    { name: "Unit tests", lane: "tests", parts: ["unit", "fast"], run: tool(vitest("unit*")) },
    // Not in `npm test`: advisories change without a change here, and take a network.
    { name: "Advisories", lane: "checks", parts: ["long"], run: node(["lib/supply-chain/main.ts", "audit"]), unknown: 2 },
    { name: "Chromium", lane: "checks", parts: ["browser", "long"], run: inProcess(installChromium) },
    { name: "Build", lane: "checks", parts: ["browser", "long"], run: inProcess(build) },
    { name: "Cluster programs", lane: "first", parts: ["integration", "browser", "long"], run: node(findPrograms) },
    { name: "Integration tests", lane: "cluster", parts: ["integration"], run: tool(vitest("integration")) },
    { name: "Browser tests", lane: "last", parts: ["browser"], run: playwright("browser") },
    { name: "Long tests", lane: "last", parts: ["long"], run: tool(vitest("long")) },
    { name: "Long browser tests", lane: "last", parts: ["long"], run: playwright("long") },
    ...readdirSync("lib/local-cluster/binaries/go/kubernetes").flatMap((minor) => [
      { name: `Programs of Kubernetes ${minor}`, run: node(findPrograms, { KUBERNETES_VERSION: minor }), ...ofVersions },
      {
        name: `Integration tests on Kubernetes ${minor}`,
        run: tool(vitest("integration", `integration-${minor}`), { KUBERNETES_VERSION: minor }),
        ...ofVersions,
      },
      {
        name: `Long tests on Kubernetes ${minor}`,
        run: tool([...vitest("long", `long-${minor}`), ...longWithoutBuild()], { KUBERNETES_VERSION: minor }),
        ...ofVersions,
      },
    ]),
  ];
}

const ofVersions = { lane: /** @type {const} */ ("cluster"), parts: ["versions"], isAlone: true };

/** The long tests that need an API server, and no build. */
function longWithoutBuild() {
  const files = readdirSync("lib", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".long.test.ts"));
  const needsBuild = /start-dashboard|crdshift-process/;
  return files.map((file) => path.join("lib", file)).filter((file) => !needsBuild.test(readFileSync(file, "utf8")));
}

/**
 * A step that is done in this process.
 * @param {() => Promise<void>} act
 * @returns {TestStep["run"]}
 */
function inProcess(act) {
  return async () => {
    await act();
    return { code: 0, output: "" };
  };
}

/**
 * A command of node_modules/.bin on Node 24.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env]
 */
function tool([name, ...args], env) {
  return node([`node_modules/.bin/${name}`, ...args], env);
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {TestStep["run"]}
 */
function node(args, env = {}) {
  const searchPath = [path.resolve("node_modules/.bin"), process.env.PATH].join(path.delimiter);
  return (options) => run(node24, args, { ...options, env: { NEXT_TELEMETRY_DISABLED: "1", PATH: searchPath, ...env } });
}

const chromium = "/usr/bin/chromium";

/** Installs Debian's Chromium for the browser tests if it is missing. */
async function installChromium() {
  if (existsSync(chromium)) return;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error(`The browser tests need ${chromium}. Install it (on Debian, as root: apt-get install chromium) and try again.`);
  }
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const whatToDo = "Install Chromium yourself (apt-get install chromium) and try again.";
  await runStep("Reading Debian's package lists", "apt-get", ["update"], { env, whatToDo });
  const args = ["install", "-y", "--no-install-recommends", "chromium"];
  await runStep("Installing Chromium for the browser tests", "apt-get", args, { env, whatToDo });
}
