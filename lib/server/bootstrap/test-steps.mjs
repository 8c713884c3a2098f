import path from "node:path";
import { build } from "./build.mjs";
import { installChromium } from "./install-chromium.mjs";
import { node24 } from "./node24.mjs";
import { run } from "./run.mjs";

/**
 * What `npm test` and `npm run test:long` do, in order; each step gives an exit code. With `unknown` one says that it could not find
 * out: that fails nothing, and is told at the end.
 * @typedef {{ name: string, parts: string[], run: () => Promise<number>, unknown?: number }} TestStep
 * @param {string} reports folder for the test runners' reports, as JSON
 * @returns {TestStep[]}
 */
export function testSteps(reports) {
  /** @param {string} name */
  const vitest = (name) => [
    "vitest",
    ...["run", "--project", name, "--reporter=default", "--reporter=json", `--outputFile.json=${path.join(reports, `${name}.json`)}`],
  ];
  const playwrightReport = { PLAYWRIGHT_JSON_OUTPUT_FILE: path.join(reports, "browser.json") };
  return [
    { name: "Route types", parts: ["static"], run: () => tool(["next", "typegen"]) },
    { name: "Types", parts: ["static"], run: () => tool(["tsc", "--noEmit"]) },
    { name: "Lint and format", parts: ["static"], run: () => tool(["biome", "ci", "."]) },
    { name: "Unused code", parts: ["static"], run: () => tool(["knip"]) },
    { name: "Unit tests", parts: ["unit"], run: () => tool(vitest("unit")) },
    // Not in `npm test`: what is known against packages changes without a change here, and takes a network.
    { name: "Advisories", parts: ["long"], run: () => node(["lib/supply-chain/main.ts", "audit"]), unknown: 2 },
    {
      name: "Cluster programs",
      parts: ["integration", "browser", "long"],
      run: () => node(["lib/local-cluster/binaries/find-binaries-main.ts"]),
    },
    { name: "Integration tests", parts: ["integration"], run: () => tool(vitest("integration")) },
    { name: "Chromium", parts: ["browser"], run: () => installChromium().then(() => 0) },
    { name: "Build", parts: ["browser", "long"], run: () => build().then(() => 0) },
    { name: "Browser tests", parts: ["browser"], run: () => tool(["playwright", "test", "--reporter=list,json"], playwrightReport) },
    { name: "Long tests", parts: ["long"], run: () => tool(vitest("long")) },
  ];
}

/**
 * Runs a command of node_modules/.bin on Node 24.
 * @param {string[]} command
 * @param {NodeJS.ProcessEnv} [env]
 */
function tool([name, ...args], env) {
  return node([`node_modules/.bin/${name}`, ...args], env);
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
async function node(args, env = {}) {
  const searchPath = [path.resolve("node_modules/.bin"), process.env.PATH].join(path.delimiter);
  const { code } = await run(node24, args, { env: { NEXT_TELEMETRY_DISABLED: "1", PATH: searchPath, ...env } });
  return code;
}
