import { expect, test } from "vitest";
import { holdsBack, lossKinds, lossValues, worstFirst } from "./losses.ts";

test("all but a stored default and an equivalent value hold a rewrite back", () => {
  expect(lossKinds.filter(holdsBack)).toEqual(["dropped", "changed", "managed-fields"]);
});

test.each([
  ['"90s"', '"1m30s"', '"90s" → "1m30s"'],
  ["1", null, "1"],
  [null, '"fast"', '"fast"'],
  [null, null, null],
])("the values %s and %s are told as %s", (before, after, told) => {
  expect(lossValues({ before, after })).toBe(told);
});

test("sorts dropped fields before defaults, and the widest loss of each kind first", () => {
  const losses = [
    { kind: "defaulted" as const, path: "spec.mode", objects: 90 },
    { kind: "managed-fields" as const, path: 'metadata.managedFields[manager="kubectl"]', objects: 40 },
    { kind: "dropped" as const, path: "spec.b", objects: 3 },
    { kind: "dropped" as const, path: "spec.a", objects: 3 },
    { kind: "dropped" as const, path: "spec.z", objects: 5 },
    { kind: "changed" as const, path: "spec.size", objects: 70 },
  ];
  expect(worstFirst(losses).map(({ path }) => path)).toEqual([
    "spec.z",
    "spec.a",
    "spec.b",
    "spec.size",
    'metadata.managedFields[manager="kubectl"]',
    "spec.mode",
  ]);
});
