import { expect, test } from "vitest";
import { onceForEach } from "./once-for-each.ts";

test("it acts once for each key, and later ones get the first one's result or failure", async () => {
  const acted: string[] = [];
  const once = onceForEach(
    (name: string) => name.toLowerCase(),
    async (name) => {
      acted.push(name);
      if (name === "B") throw new Error("not that one");
      return name;
    },
  );
  expect(await Promise.all([once("A"), once("a")])).toEqual(["A", "A"]);
  await expect(once("B")).rejects.toThrow("not that one");
  await expect(once("b")).rejects.toThrow("not that one");
  expect(acted).toEqual(["A", "B"]);
});
