import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { build } from "./build.mjs";
import { node24 } from "./node24.mjs";
import { run } from "./run.mjs";
import { runStep } from "./run-step.mjs";

/**
 * What `npm test`, `npm run test:long` and `npm run test:versions` do; each step gives an exit code. Steps of one lane run one after the other, the lanes
 * "checks", "tests" and "cluster" side by side, and "last" after them. A step that ends with `unknown` could not find out: that fails
 * nothing, and is reported at the end. The steps after a failed one are run only where it `isAlone`.
 * @typedef {{ signal: AbortSignal, quietly: boolean }} StepOptions
 * @typedef {{ code: number, output: string }} StepResult
 * @typedef {"checks" | "tests" | "cluster" | "last"} Lane
 * @typedef {{
 *   name: string, lane: Lane, parts: string[], unknown?: number, isAlone?: boolean,
 *   run: (options: StepOptions) => Promise<StepResult>,
 * }} TestStep
 * @param {string} reports folder for the test runners' reports, as JSON
 * @returns {TestStep[]}
 */
export function testSteps(reports) {
  /** @param {string} name @param {string} [report] */
  const vitest = (name, report = name.replace("*", "")) => [
    "vitest",
    ...["run", "--project", name, "--reporter=default", "--reporter=json", `--outputFile.json=${path.join(reports, `${report}.json`)}`],
  ];
  const browserReport = { PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(reports, "browser.json") };
  const findPrograms = ["lib/local-cluster/binaries/find-programs-main.ts"];
  return [
    { name: "Route types", lane: "checks", parts: ["static", "fast"], run: tool(["next", "typegen"]) },
    { name: "Types", lane: "checks", parts: ["static", "fast"], run: tool(["tsc", "--noEmit"]) },
    { name: "Lint and format", lane: "checks", parts: ["static", "fast"], run: tool(["biome", "ci", "."]) },
    { name: "Unused code", lane: "checks", parts: ["static", "fast"], run: tool(["knip"]) },
    { name: "Unit tests", lane: "tests", parts: ["unit", "fast"], run: tool(vitest("unit*")) },
    // Not in `npm test`: advisories change without a change here, and take a network.
    { name: "Advisories", lane: "checks", parts: ["long"], run: node(["lib/supply-chain/main.ts", "audit"]), unknown: 2 },
    { name: "Chromium", lane: "checks", parts: ["browser"], run: inProcess(installChromium) },
    { name: "Build", lane: "checks", parts: ["browser", "long"], run: inProcess(build) },
    { name: "Cluster programs", lane: "cluster", parts: ["integration", "browser", "long"], run: node(findPrograms) },
    { name: "Integration tests", lane: "cluster", parts: ["integration"], run: tool(vitest("integration")) },
    { name: "Browser tests", lane: "last", parts: ["browser"], run: tool(["playwright", "test", "--reporter=list,json"], browserReport) },
    { name: "Long tests", lane: "last", parts: ["long"], run: tool(vitest("long")) },
    ...readdirSync("lib/local-cluster/binaries/go/kubernetes").flatMap((minor) => [
      { name: `Programs of Kubernetes ${minor}`, run: node(findPrograms, { KUBERNETES_VERSION: minor }), ...ofVersions },
      {
        name: `Integration tests on Kubernetes ${minor}`,
        run: tool(vitest("integration", `integration-${minor}`), { KUBERNETES_VERSION: minor }),
        ...ofVersions,
      },
    ]),
  ];
}

const ofVersions = { lane: /** @type {const} */ ("cluster"), parts: ["versions"], isAlone: true };

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
