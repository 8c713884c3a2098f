import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { lockDifferences } from "./lock-differences.mjs";

test("package-lock.json is that of package.json", async () => {
  const [project, lock] = await Promise.all(
    ["package.json", "package-lock.json"].map(async (file) => JSON.parse(await readFile(file, "utf8"))),
  );
  expect(lockDifferences(project, lock.packages[""])).toEqual([]);
});

test.each([
  ["comes in", { dependencies: { next: "16.4.6", zod: "4.6.7" } }, ["zod"]],
  ["goes", {}, ["next"]],
  ["is asked for in another version", { dependencies: { next: "16.4.7" } }, ["next"]],
  ["becomes one of tests", { devDependencies: { next: "16.4.6" } }, ["next", "next"]],
])("a dependency that %s is named", (_, project, names) => {
  expect(lockDifferences(project, { dependencies: { next: "16.4.6" } })).toEqual(names);
});
