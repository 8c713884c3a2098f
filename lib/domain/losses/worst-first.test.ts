import { expect, it } from "vitest";
import { worstFirst } from "./worst-first.ts";

it("sorts dropped fields before defaults, and the widest loss of each kind first", () => {
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
