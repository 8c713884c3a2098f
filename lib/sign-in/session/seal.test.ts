import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { seal, unseal } from "./seal.ts";

const [old, current] = [randomBytes(32), randomBytes(32)];

test("a sealed text can be read with its key, also when the key is listed second", () => {
  const sealed = seal([old], "cookie", "päss 😀");
  expect(unseal([old], "cookie", sealed)).toBe("päss 😀");
  expect(unseal([current, old], "cookie", sealed)).toBe("päss 😀");
  expect(sealed).not.toBe(seal([old], "cookie", "päss 😀"));
});

test("a sealed text can't be read with another key or purpose, or after a change", () => {
  const sealed = seal([old], "cookie", "text");
  expect(unseal([current], "cookie", sealed)).toBeNull();
  expect(unseal([old], "other", sealed)).toBeNull();
  expect(unseal([], "cookie", sealed)).toBeNull();
  for (const index of [0, 14, sealed.length - 2]) {
    const flipped = sealed[index] === "A" ? "B" : "A";
    expect(unseal([old], "cookie", sealed.slice(0, index) + flipped + sealed.slice(index + 1))).toBeNull();
  }
  for (const text of [sealed.slice(0, -4), sealed.slice(4), "", "x", "=".repeat(100), "ä".repeat(50)]) {
    expect(unseal([old], "cookie", text)).toBeNull();
  }
});
