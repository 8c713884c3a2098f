import { expect, test } from "vitest";
import { leastKnown } from "./confirm-token.ts";

// If the oldest were forgotten first, whoever has a thousand tokens of their own would make crdshift forget everyone else's.
test.each([
  [
    "a token that the cluster hasn't accepted",
    "made-up",
    [
      ["ada", "ada", true],
      ["made-up", null, false],
      ["eve", "eve", true],
    ] as const,
  ],
  [
    "the oldest of the person with the most",
    "eve 1",
    [
      ["ada", "ada", true],
      ["eve 1", "eve", true],
      ["eve 2", "eve", true],
    ] as const,
  ],
  [
    "not someone whose name the cluster won't tell, however many such there are",
    "eve 1",
    [
      ["unnamed 1", null, true],
      ["unnamed 2", null, true],
      ["unnamed 3", null, true],
      ["eve 1", "eve", true],
      ["eve 2", "eve", true],
    ] as const,
  ],
  ["nothing, if there is nothing", "", []],
])("what is forgotten first is %s", (_, expected, known) => {
  expect(leastKnown(new Map(known.map(([audience, name, isTaken]) => [audience, { name, isTaken }])))).toBe(expected);
});
