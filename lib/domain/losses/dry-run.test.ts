import { expect, test } from "vitest";
import { describeLosses, unacceptedLosses } from "./dry-run.ts";
import type { Loss, LossKind } from "./losses.ts";

const loss = (kind: LossKind, path: string, objects = 1): Loss => ({ kind, path, objects, examples: [] });

test.each<[string, Loss[], boolean, string[]]>([
  ["dropped and changed fields", [loss("dropped", "spec.a"), loss("changed", "spec.b")], false, ["spec.a", "spec.b"]],
  ["dropped fields, even if ownership is kept", [loss("dropped", "spec.a")], true, ["spec.a"]],
  ["lost managedFields", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], false, ['metadata.managedFields[manager="x"]']],
  ["no lost managedFields where they are carried over", [loss("managed-fields", 'metadata.managedFields[manager="x"]')], true, []],
  ["no defaults", [loss("defaulted", "spec.tier")], false, []],
])("a rewrite is held back by %s", (_, losses, keepOwnership, paths) => {
  expect(unacceptedLosses({ losses }, { keepOwnership }).map(({ path }) => path)).toEqual(paths);
});

test.each<[Loss[], string]>([
  [[], "nothing would be lost"],
  [[loss("dropped", "spec.a", 1)], "spec.a would be dropped in 1 object"],
  [[loss("dropped", "spec.a", 2), loss("changed", "spec.b", 1_200)], "spec.b would change in 1,200 objects, and 1 more path"],
])("losses in a sentence: %#", (losses, sentence) => {
  expect(describeLosses(losses)).toBe(sentence);
});
