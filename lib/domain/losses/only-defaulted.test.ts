import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { onlyDefaulted } from "./only-defaulted.ts";

const mode = { type: "string", default: "fast" };
const schema = {
  properties: {
    spec: {
      properties: {
        mode,
        size: { type: "integer" },
        parts: { items: { properties: { mode } } },
        named: { additionalProperties: { properties: { mode } } },
      },
    },
  },
};

test.each([
  ["nothing", {}, {}, true],
  ["a default", {}, { mode: "fast" }, true],
  ["a default in place of null", { mode: null }, { mode: "fast" }, true],
  [
    "defaults of items and of free keys",
    { parts: [{}], named: { a: {} } },
    { parts: [{ mode: "fast" }], named: { a: { mode: "fast" } } },
    true,
  ],
  ["a field without a default", {}, { size: 1 }, false],
  ["a changed field", { size: 1 }, { size: 2 }, false],
  ["a dropped field", { size: 1 }, {}, false],
  ["an item more", { parts: [] }, { parts: [{}] }, false],
])("what adds %s", (_, before, after, isOnly) => {
  const object = (spec: object, generation: number) => exactJson({ kind: "Widget", metadata: { generation }, spec });
  expect(onlyDefaulted(object(before, 1), object(after, 2), exactJson(schema))).toBe(isOnly);
});
