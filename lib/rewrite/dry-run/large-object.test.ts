import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { asLargeObject } from "./large-object.ts";

const signal = new AbortController().signal;
const MEBI = 1024 * 1024;

/** How many of these objects are worked on at once, at most. */
async function mostAtOnce(characters: number, copies: number): Promise<number> {
  let [now, most] = [0, 0];
  const one = () =>
    asLargeObject(copies, async (large) => {
      if (large.mustWait(characters)) await large.wait(characters, signal);
      now += 1;
      most = Math.max(most, now);
      await setImmediate();
      now -= 1;
    });
  await Promise.all(Array.from({ length: 36 }, one));
  return most;
}

// Without the share, three dry runs' workers held 36 objects of over a megabyte, each in three copies of 31 MiB.
test.each([
  [100_000, 3, 36],
  [MEBI, 2, 4],
  [MEBI, 3, 2],
  [3 * MEBI, 3, 1],
])("objects of %i characters in %i copies are worked on %i at a time", async (characters, copies, most) => {
  expect(await mostAtOnce(characters, copies)).toBe(most);
});

test("one that fails gives its share back", async () => {
  const failing = asLargeObject(3, async (large) => {
    await large.wait(3 * MEBI, signal);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await mostAtOnce(3 * MEBI, 3)).toBe(1);
});
