import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { isInstalled, notAsLocked } from "./is-installed.mjs";
import { lockDifferences } from "./lock-differences.mjs";
import { node24 } from "./node24.mjs";
import { runStep } from "./run-step.mjs";

/** What npm recorded of node_modules. It is written last: an interrupted install has none. */
const record = "node_modules/.package-lock.json";

/** Makes node_modules what package-lock.json says, unless it is that already. Throws when it can't be made just that. */
export async function install() {
  const lock = readFileSync("package-lock.json", "utf8");
  const wanted = JSON.parse(lock);
  const differences = lockDifferences(readJson("package.json"), wanted.packages[""]);
  if (differences.length > 0) {
    throw new Error(
      `package-lock.json was not made for this package.json: they differ in ${[...new Set(differences)].join(", ")}.\nRun npm install, look at what it changes in package-lock.json, and start again.`,
    );
  }
  const isComplete = existsSync(record);
  const installed = isComplete ? readJson(record) : { packages: {} };
  if (isInstalled(wanted.packages, installed.packages) && existsSync(node24)) return;
  if (!isComplete) rmSync("node_modules", { recursive: true, force: true });
  // Not npm ci: it refuses a lock file made where a registry lacked optional packages of other platforms. This installs
  // the same locked versions, and without saving never changes the lock file. No package needs an install script: a test says so.
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  await runStep("Installing the dependencies", "npm", args, {
    // Not the Node in node_modules, which is about to be replaced.
    env: { PATH: withoutNodeModules(process.env.PATH ?? "") },
    whatToDo: "Check that the npm registry can be reached and that package-lock.json belongs to package.json, then start again.",
  });
  const strays = notAsLocked(wanted.packages, readJson(record).packages);
  if (strays.length > 0 || readFileSync("package-lock.json", "utf8") !== lock) {
    throw new Error(`npm installed something else than package-lock.json says: ${strays.join(", ") || "it has changed that file"}.`);
  }
  if (!existsSync(node24)) {
    throw new Error(
      `There is no Node 24 for ${process.platform} ${process.arch} among the dependencies.\nAdd the npm package node-${process.platform}-${process.arch} to optionalDependencies, or use one of the platforms listed there.`,
    );
  }
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** @param {string} searchPath */
function withoutNodeModules(searchPath) {
  return searchPath
    .split(path.delimiter)
    .filter((directory) => !directory.includes("node_modules"))
    .join(path.delimiter);
}
