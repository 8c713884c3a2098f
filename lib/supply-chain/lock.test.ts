import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { idOf, type LockedPackage, readLock } from "./lock.ts";
import { runNpm } from "./run-npm.ts";

// On a busy machine npm alone takes seconds.
vi.setConfig({ testTimeout: 60_000 });

/** Packages that have an install script but work without it, with the reason, by name. */
const WORK_WITHOUT: Record<string, string> = {};

const ON_INSTALL = ["preinstall", "install", "postinstall"];

test("npm is set to run no install script, not even this project's own", async () => {
  expect(await readFile(".npmrc", "utf8")).toMatch(/^ignore-scripts=true$/m);
  const { scripts } = JSON.parse(await readFile("package.json", "utf8"));
  // npm would skip these silently.
  const notRun = Object.keys(scripts).filter(
    (name) => [...ON_INSTALL, "prepare"].includes(name) || (name.replace(/^(pre|post)/, "") in scripts && /^(pre|post)/.test(name)),
  );
  expect(notRun).toEqual([]);
});

test("a planted package is installed without running its install script", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "crdshift-planted-"));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  // The npm that runs the tests passes on its settings.
  vi.stubEnv("npm_config_ignore_scripts", undefined);
  const [planted, project] = [path.join(folder, "planted"), path.join(folder, "project")];
  await Promise.all([planted, project].map((one) => mkdir(one)));
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync('ran', '')\"" };
  await writeFile(path.join(planted, "package.json"), JSON.stringify({ name: "planted", version: "1.0.0", scripts }));
  await runNpm(["pack", planted, `--pack-destination=${folder}`]);
  await writeFile(path.join(project, "package.json"), JSON.stringify({ dependencies: { planted: "file:../planted-1.0.0.tgz" } }));
  await copyFile(".npmrc", path.join(project, ".npmrc"));
  const installed = path.join(project, "node_modules", "planted");
  const install = (...args: string[]) => runNpm(["install", "--offline", "--no-audit", `--prefix=${project}`, ...args]);

  await install();
  expect([existsSync(installed), existsSync(path.join(installed, "ran"))]).toEqual([true, false]);
  // Without the setting, the script runs.
  await rm(path.join(project, "node_modules"), { recursive: true });
  await install("--no-ignore-scripts", "--dangerously-allow-all-scripts");
  expect(existsSync(path.join(installed, "ran"))).toBe(true);
});

test("only packages known to work without one have an install script", async () => {
  const withScript: string[] = [];
  for (const locked of await readLock()) {
    if (locked.hasInstallScript || (await hasInstallScript(locked.path))) withScript.push(locked.name);
  }
  const hint =
    "A package has an install script, which .npmrc blocks. If it works without the script, add it to WORK_WITHOUT with the reason. " +
    "If not, use another package, or run only its script in lib/server/bootstrap/install.mjs: npm rebuild --no-ignore-scripts <name>.";
  expect(withScript.sort(), hint).toEqual(Object.keys(WORK_WITHOUT).sort());
});

test("every package has a hash and comes from the configured registry", async () => {
  const lock = await readLock();
  expect(lock.length).toBeGreaterThan(200);
  const hashed = new Set(lock.filter(({ integrity }) => /^sha512-/.test(integrity ?? "")).map(({ path }) => path));
  const isCovered = ({ path, isBundled }: LockedPackage) =>
    hashed.has(path) || (isBundled && hashed.has(path.slice(0, path.lastIndexOf("/node_modules/"))));
  expect(lock.filter((locked) => !isCovered(locked)).map(idOf), "without a SHA-512").toEqual([]);
  expect(lock.filter(({ resolved }) => resolved !== undefined).map(idOf), "from another address").toEqual([]);
});

// npm compiles a package with a binding.gyp even without a declared script.
async function hasInstallScript(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  const { scripts = {} } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  return ON_INSTALL.some((name) => name in scripts) || existsSync(path.join(folder, "binding.gyp"));
}
