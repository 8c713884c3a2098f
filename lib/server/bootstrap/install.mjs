import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { node24 } from "./node24.mjs";
import { runStep } from "./run.mjs";

/** npm's record of node_modules, written last: an interrupted install has none. */
const record = "node_modules/.package-lock.json";

/**
 * Installs exactly what package-lock.json says, unless node_modules already matches. Throws if the result differs.
 * @param {Scope} scope
 * @typedef {{ developing: boolean }} Scope whether development dependencies are needed; if not, they may be there all the same
 */
export async function install(scope) {
  const lock = readFileSync("package-lock.json", "utf8");
  const wanted = JSON.parse(lock);
  const differences = lockDifferences(readJson("package.json"), wanted.packages[""]);
  if (differences.length > 0) {
    throw new Error(
      `package-lock.json doesn't match package.json: they differ in ${[...new Set(differences)].join(", ")}.\nRun npm install, review what it changes in package-lock.json, and try again.`,
    );
  }
  const isComplete = existsSync(record);
  const installed = isComplete ? readJson(record) : { packages: {} };
  if (isInstalled(wanted.packages, installed.packages, scope) && existsSync(node24)) return;
  if (!isComplete) rmSync("node_modules", { recursive: true, force: true });
  // Not npm ci, which refuses a lock file made with a registry that lacked optional packages for other platforms. This installs
  // the same locked versions, and with --no-save never changes the lock file. No package needs an install script: a test checks that.
  const args = ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // Otherwise npm would remove those that are there.
  const leavesOut = !scope.developing && !hasDevelopment(wanted.packages, installed.packages);
  if (leavesOut) args.push("--omit=dev");
  await runStep("Installing the dependencies", "npm", args, {
    // Avoids the Node in node_modules, which is about to be replaced.
    env: { PATH: withoutNodeModules(process.env.PATH ?? "") },
    whatToDo: "Check that the npm registry can be reached and that package-lock.json matches package.json, then try again.",
  });
  const strays = notAsLocked(wanted.packages, readJson(record).packages, scope);
  if (strays.length > 0 || readFileSync("package-lock.json", "utf8") !== lock) {
    throw new Error(`npm didn't install what package-lock.json says: ${strays.join(", ") || "it changed that file"}.`);
  }
  if (!existsSync(node24)) {
    throw new Error(
      `The dependencies have no Node 24 for ${process.platform} ${process.arch}.\nAdd the npm package node-${process.platform}-${process.arch} to optionalDependencies, or use one of the platforms listed there.`,
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

/**
 * Whether npm's record of node_modules matches package-lock.json.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 * @param {Scope} scope
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, dev?: boolean }} LockedPackage
 */
export function isInstalled(wanted, installed, scope) {
  return notAsLocked(wanted, installed, scope).length === 0;
}

/**
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 */
function hasDevelopment(wanted, installed) {
  return Object.keys(installed).some((name) => wanted[name]?.dev === true);
}

/**
 * The packages that are missing, differ from package-lock.json, or aren't in it. Optional packages may be missing: they are for other
 * platforms.
 * @param {Record<string, LockedPackage>} wanted
 * @param {Record<string, LockedPackage>} installed
 * @param {Scope} scope
 */
export function notAsLocked(wanted, installed, { developing }) {
  /** @param {[string, LockedPackage]} entry */
  const isAsWanted = ([name, { version, integrity, optional, dev }]) => {
    if (name === "") return true;
    const present = installed[name];
    return present ? present.version === version && present.integrity === integrity : optional === true || (dev === true && !developing);
  };
  const different = Object.entries(wanted).filter((entry) => !isAsWanted(entry));
  return [...different.map(([name]) => name), ...Object.keys(installed).filter((name) => !(name in wanted))];
}

const kinds = /** @type {const} */ (["dependencies", "devDependencies", "optionalDependencies"]);

/**
 * The dependencies that differ between package.json and package-lock.json; npm would choose their versions itself.
 * @param {Dependencies} project from package.json
 * @param {Dependencies} locked from the root package in package-lock.json
 * @typedef {Partial<Record<"dependencies" | "devDependencies" | "optionalDependencies", Record<string, string>>>} Dependencies
 */
export function lockDifferences(project, locked) {
  return kinds.flatMap((kind) => {
    const [asked, known] = [project[kind] ?? {}, locked[kind] ?? {}];
    return Object.keys({ ...asked, ...known }).filter((name) => asked[name] !== known[name]);
  });
}
