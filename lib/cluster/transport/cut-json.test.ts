import fc from "fast-check";
import { expect, test } from "vitest";
import { completedJson } from "./cut-json.ts";

test.each([
  ['{"kind":"Status","message":"no such th', { kind: "Status", message: "no such th" }],
  ['{"kind":"Status","message":"a \\"word\\" and \\u00', { kind: "Status", message: 'a "word" and ' }],
  ['{"kind":"Status","message":"a\\', { kind: "Status", message: "a" }],
  ['{"kind":"Status","mess', { kind: "Status" }],
  ['{"kind":"Status","code":50', { kind: "Status" }],
  ['{"a":{"b":[{"c":1},{"d', { a: { b: [{ c: 1 }] } }],
  ['{"a":{"b":["x","y', { a: { b: ["x", "y"] } }],
])("%s is completed", (cut, json) => {
  expect(JSON.parse(completedJson(cut))).toEqual(json);
});

test("any object is JSON again, wherever it is cut, or counts as empty", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(), (value, at) => {
      const text = JSON.stringify(value);
      const completed = completedJson(text.slice(0, at % (text.length + 1)));
      if (completed !== "") expect(() => JSON.parse(completed)).not.toThrow();
    }),
  );
});

test("of what nests deeper than any Status, nothing is read below", () => {
  expect(JSON.parse(completedJson(`{"kind":"Status","details":${"[".repeat(100_000)}`))).toEqual({ kind: "Status" });
});
