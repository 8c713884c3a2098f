import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonPieces } from "./json-pieces.ts";

test("the pieces together are the JSON of any answer", () => {
  fc.assert(fc.property(fc.jsonValue(), (body) => [...jsonPieces(body)].join("") === JSON.stringify(body)));
  const body = { left: undefined, items: [1, undefined, null, { a: undefined }], none: [], nothing: {} };
  expect([...jsonPieces(body)].join("")).toBe(JSON.stringify(body));
});

test("a list comes element by element", () => {
  expect([...jsonPieces({ items: ["a", "b"] })]).toEqual(['{"items":', '["a"', ',"b"', "]", "}"]);
});
