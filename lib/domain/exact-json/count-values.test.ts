import fc from "fast-check";
import { expect, test } from "vitest";
import { countValues } from "./count-values.ts";

test("counts every value of any JSON, however it was written", () => {
  const valuesIn = (value: unknown): number =>
    typeof value === "object" && value !== null ? Object.values(value).reduce((sum, inner) => sum + valuesIn(inner), 1) : 1;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 3), (value, spaces) => {
      const json = JSON.stringify(value, null, spaces);
      expect(countValues(json)).toBe(valuesIn(JSON.parse(json)));
    }),
  );
});

test("counts neither commas nor brackets in strings", () => {
  expect(countValues('{"a,,,[[":[1,",\\",,{["],"b":{}}')).toBe(5);
});

test("counts a million lists in each other", () => {
  expect(countValues(`${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`)).toBe(1_000_000);
});
