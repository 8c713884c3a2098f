import fc from "fast-check";
import { expect, test } from "vitest";
import { indentedJson } from "./indented-json.ts";

const ENOUGH = { levels: 100, length: 1_000_000 };

test("is the text of JSON.stringify, for any value and however it was written", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(0, 1, 3), (value, spaces) => {
      const json = JSON.stringify(value, null, spaces);
      expect(indentedJson(json, ENOUGH)).toBe(JSON.stringify(JSON.parse(json), null, 2));
    }),
  );
});

test("keeps each number as it was written", () => {
  expect(indentedJson('{"a":[9007199254740993,1.0,1E+3,-0],"b":{},"c":[]}', ENOUGH)).toBe(
    '{\n  "a": [\n    9007199254740993,\n    1.0,\n    1E+3,\n    -0\n  ],\n  "b": {},\n  "c": []\n}',
  );
});

test("shows characters that JSON needn't escape, and keeps those that it must", () => {
  expect(indentedJson('{"\\u003ca\\u003e":"\\"\\\\\\n\\u0026"}', ENOUGH)).toBe('{\n  "<a>": "\\"\\\\\\n&"\n}');
});

test("is null for what nests deeper or would be longer", () => {
  const nested = (levels: number) => `${"[".repeat(levels)}1${"]".repeat(levels)}`;
  expect(indentedJson(nested(100), ENOUGH)).not.toBeNull();
  for (const levels of [101, 9_000, 1_000_000]) expect(indentedJson(nested(levels), ENOUGH)).toBeNull();
  const list = JSON.stringify(Array(10).fill(0));
  const { length } = indentedJson(list, ENOUGH) ?? expect.fail("not shown");
  expect(indentedJson(list, { levels: 1, length })).not.toBeNull();
  expect(indentedJson(list, { levels: 1, length: length - 1 })).toBeNull();
});
