import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { node24 } from "./node24.mjs";
import { runStep } from "./run.mjs";

const stamp = ".next/crdshift-sources";

/** Builds the pages, the route handlers and the server in front of them, unless the last build used the same sources. */
export async function build() {
  const sources = hashSources(process.cwd());
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === sources) return;
  rmSync(stamp, { force: true });
  await runStep("Building the pages", node24, ["node_modules/next/dist/bin/next", "build"], {
    // Without this, Next would edit package-lock.json if a package for this platform is missing.
    env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1", NEXT_IGNORE_INCORRECT_LOCKFILE: "1" },
  });
  await runStep("Sharing duplicate chunks", node24, ["lib/server/share-chunks.ts"]);
  await runStep("Building the server", node24, ["node_modules/.bin/rolldown", "--config", "rolldown.server.config.ts"]);
  writeFileSync(stamp, sources);
}

const folders = ["app", "components", "lib", "public"];
const files = ["tsconfig.json", "package-lock.json", "package.json"];
const notBuilt = ["cli", "local-cluster", path.join("server", "bootstrap"), "supply-chain"].map((folder) => path.join("lib", folder));
const ofTests = "testing";

/**
 * A hash of the names and contents of all files that go into the build.
 * @param {string} root the project's folder
 */
export function hashSources(root) {
  const hash = createHash("sha256");
  for (const name of [...files, ...rootSources(root), ...folders.flatMap((folder) => filesIn(root, folder))]) {
    const file = path.join(root, name);
    if (!existsSync(file)) continue;
    const content = readFileSync(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * The configuration of Next.js and the server's build, without that of test tools and without files that the build writes.
 * @param {string} root
 */
function rootSources(root) {
  return readdirSync(root)
    .filter((name) => /\.[jt]s$|\.mjs$/.test(name) && !/^(vitest|playwright|knip|rolldown)\.config\.|\.d\.ts$/.test(name))
    .sort();
}

/**
 * @param {string} root
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(root, folder) {
  const directory = path.join(root, folder);
  if (notBuilt.includes(folder) || path.basename(folder) === ofTests || !existsSync(directory)) return [];
  return readdirSync(directory)
    .sort()
    .flatMap((entry) => {
      const name = path.join(folder, entry);
      if (statSync(path.join(root, name)).isDirectory()) return filesIn(root, name);
      return /\.test\.tsx?$/.test(entry) ? [] : [name];
    });
}
