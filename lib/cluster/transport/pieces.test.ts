import { expect, test, vi } from "vitest";
import { pieces } from "./pieces.ts";

// A Buffer takes a hundred bytes beside its content.
test("small pieces are joined as they come, so that thousands are never held", () => {
  const join = vi.fn((parts: string[]) => parts.join(""));
  const collected = pieces(join);
  for (let count = 0; count < 5_000; count += 1) collected.add("x");
  expect(join).toHaveBeenCalledTimes(4);
  expect(collected.take()).toBe("x".repeat(5_000));
  expect(join.mock.calls.every(([parts]) => parts.length <= 1_024)).toBe(true);
  expect(collected.take()).toBe("");
});
