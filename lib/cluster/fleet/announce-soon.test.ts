import { expect, test } from "vitest";
import { announceSoon } from "./announce-soon.ts";

function compute(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test("one definition is announced at once, and many in short turns, each once however often it changes meanwhile", async () => {
  const told: string[] = [];
  const announce = announceSoon(
    (name) => {
      told.push(name);
      compute(10);
    },
    () => "alice",
  );
  announce("a");
  expect(told).toEqual(["a"]);
  const names = Array.from({ length: 40 }, (_, index) => `b${index}`);
  for (const name of [...names, ...names]) announce(name);
  expect(told.length).toBeLessThan(names.length);
  await expect.poll(() => told.length).toBe(1 + names.length);
  expect(told).toEqual(["a", ...names]);
});

test("one that fails doesn't keep the others from being announced, and what is announced meanwhile isn't lost", async () => {
  const told: string[] = [];
  const announce = announceSoon(
    (name) => {
      told.push(name);
      if (name === "odd") throw new Error("odd");
      if (name === "a") announce("b");
    },
    () => "alice",
  );
  announce("odd");
  announce("a");
  await expect.poll(() => told).toEqual(["odd", "a", "b"]);
  announce("c");
  await expect.poll(() => told.at(-1)).toBe("c");
});
