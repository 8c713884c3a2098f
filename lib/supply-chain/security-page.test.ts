import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

const TEST = /`([\w./-]+\.(?:spec|test)\.ts)` "([^"]+)"$/;

test("each threat in SECURITY.md names tests that exist", async () => {
  const page = await readFile("SECURITY.md", "utf8");
  const threats = (page.split("\n## ").find((section) => section.startsWith("Threats\n")) ?? "").split("\n### ").slice(1);
  expect(threats.length).toBeGreaterThan(10);
  let named = 0;
  for (const threat of threats) {
    const items = threat.split("\n").filter((line) => line.startsWith("- "));
    expect(items, `no test covers: ${threat.split("\n")[0]}`).not.toEqual([]);
    for (const item of items) {
      const [, file = "", title = ""] = TEST.exec(item) ?? [];
      expect(title, `not a file and the start of a test title: ${item}`).not.toBe("");
      const source = await readFile(file, "utf8");
      const isThere = ['"', "`"].some((quote) => source.includes(`${quote}${title}`));
      expect(isThere, `${file} has no test whose title starts with: ${title}`).toBe(true);
      named += 1;
    }
  }
  // Every quoted string on the page is one of these titles, complete and on one line.
  expect(named).toBe([...page.matchAll(/"[^"]+"/g)].length);
});
