import { expect, test } from "vitest";
import { parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { holdsBack, lossKinds, lossValues, shortText, worstFirst } from "./losses.ts";

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

test.each(["null", "true", "9007199254740993", "1.0", '"90s"', "[]", "{}", '{"z":[1,{"a":null}],"b":"\\n"}'])(
  "%s that fits stays as it was sent",
  (json) => {
    expect(shortText(parseExactJson(json))).toBe(json);
  },
);

test("what is longer is cut after 200 characters", () => {
  expect(shortText(parseExactJson(JSON.stringify("x".repeat(198))))).toBe(JSON.stringify("x".repeat(198)));
  for (const long of ["x".repeat(199), "x".repeat(2_000_000), { key: "x".repeat(300) }, Array.from({ length: 500 }, () => 1)]) {
    const text = shortText(parseExactJson(JSON.stringify(long)));
    expect(text).toBe(`${JSON.stringify(long).slice(0, 200)}…`);
  }
});

test("a cut leaves no half of a character", () => {
  const text = shortText(parseExactJson(JSON.stringify(`${"x".repeat(198)}😀😀`)));
  expect(text).toBe(`"${"x".repeat(198)}…`);
});

test("characters that steer a terminal or turn the text's direction are escaped", () => {
  const text = shortText(parseExactJson(JSON.stringify({ "a\u202e": "\u2066b\u009b\u001b\u2028" })));
  expect(text).toBe('{"a\\u202e":"\\u2066b\\u009b\\u001b\\u2028"}');
});
