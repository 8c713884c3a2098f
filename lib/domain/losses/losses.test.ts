import { expect, test } from "vitest";
import { describeLosses, holdsBack, type Loss, type LossKind, lossKinds, lossValues, unacceptedLosses, worstFirst } from "./losses.ts";

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

const loss = (kind: LossKind, path: string, objects = 1): Loss => ({ kind, path, objects, examples: [] });

test.each<[string, Loss[], boolean, string[]]>([
  ["dropped and changed fields", [loss("dropped", "spec.a"), loss("changed", "spec.b")], false, ["spec.a", "spec.b"]],
  ["dropped fields, even if ownership is kept", [loss("dropped", "spec.a")], true, ["spec.a"]],
  ["lost managedFields", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], false, ['metadata.managedFields[manager="x"]']],
  ["no lost managedFields where they are carried over", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], true, []],
  ["no defaults", [loss("defaulted", "spec.tier")], false, []],
  ["no value that is only written otherwise", [loss("equivalent", "spec.drain")], false, []],
])("a rewrite is held back by %s", (_, losses, keepOwnership, paths) => {
  expect(unacceptedLosses({ losses }, { keepOwnership }).map(({ path }) => path)).toEqual(paths);
});

test.each<[Loss[], string]>([
  [[], "nothing would be lost"],
  [[loss("dropped", "spec.a", 1)], "spec.a would be dropped in 1 object"],
  [[loss("equivalent", "spec.a", 2)], "spec.a would be rewritten the same in 2 objects"],
  [
    [loss("dropped", "spec.a", 2), loss("changed", "spec.b", 1_200)],
    "spec.b would change in 1,200 objects, and 1 other path would be affected",
  ],
])("losses in a sentence: %#", (losses, sentence) => {
  expect(describeLosses(losses, 0, null)).toBe(sentence);
});

// Without sample (losses.ts) what was found in five objects is told as all that a hundred would lose.
test("losses that a sample has are told as the least that all objects have", () => {
  const losses = [loss("dropped", "spec.a", 5), loss("changed", "spec.b", 1)];
  expect(describeLosses(losses, 2, { checked: 10_000, total: 12_000 })).toBe(
    "spec.a would be dropped in at least 5 objects (10,000 of 12,000 checked), and 1 other path would be affected (2 more paths not listed)",
  );
});
