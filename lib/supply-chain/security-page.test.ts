import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("each test that SECURITY.md names is there", async () => {
  const page = await readFile("SECURITY.md", "utf8");
  const cells = page.split("\n").filter((line) => line.startsWith("| ") && line.includes(".ts`"));
  expect(cells.length).toBeGreaterThan(10);
  let named = 0;
  for (const cell of cells) {
    for (const [, file = "", titles = ""] of cell.matchAll(/`([\w./-]+\.(?:spec|test)\.ts)`((?:,? "[^"]+")+)/g)) {
      const source = await readFile(file, "utf8");
      for (const [, title = ""] of titles.matchAll(/"([^"]+)"/g)) {
        const isThere = ['"', "`"].some((quote) => source.includes(`${quote}${title}`));
        expect(isThere, `${file} has no test whose name begins with: ${title}`).toBe(true);
        named += 1;
      }
    }
  }
  expect(named).toBe(page.split("\n").flatMap((line) => (line.startsWith("| ") ? [...line.matchAll(/"[^"]+"/g)] : [])).length);
});
