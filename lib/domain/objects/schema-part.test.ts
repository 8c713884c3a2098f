import { expect, test } from "vitest";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldsOfSchema } from "./schema-part.ts";

const integer = { type: "integer" };
type Members = { [key: string]: ExactJson };
const object = (properties: Members, more: Members = {}) => ({ type: "object", properties, ...more });
const spec = (properties: Members, more?: Members) => object({ spec: object(properties, more) });
const owned = (fields: Members): ExactJson => ({ "f:spec": fields });

test.each<[string, ExactJson, ExactJson, ExactJson | null]>([
  ["a field that the schema has", owned({ "f:size": {} }), spec({ size: integer }), owned({ "f:size": {} })],
  ["a field that it lacks", owned({ "f:size": {}, "f:note": {} }), spec({ size: integer }), owned({ "f:size": {} })],
  [
    "one in a map that owns nothing else",
    owned({ "f:size": {}, "f:a": { "f:b": {} } }),
    spec({ size: integer, a: object({}) }),
    owned({ "f:size": {} }),
  ],
  ["one in a map that is owned itself", owned({ "f:a": { ".": {}, "f:b": {} } }), spec({ a: object({}) }), owned({ "f:a": { ".": {} } })],
  [
    "one in an item of a list",
    owned({ "f:list": { 'k:{"name":"x"}': { ".": {}, "f:name": {}, "f:old": {} } } }),
    spec({ list: { type: "array", items: object({ name: integer }) } }),
    owned({ "f:list": { 'k:{"name":"x"}': { ".": {}, "f:name": {} } } }),
  ],
  [
    "any in a map of any values",
    owned({ "f:a": { "f:b": { "f:c": {} } } }),
    spec({ a: object({}, { additionalProperties: true }) }),
    owned({ "f:a": { "f:b": { "f:c": {} } } }),
  ],
  ["what a schema keeps unknown", owned({ "f:a": {} }), spec({}, { "x-kubernetes-preserve-unknown-fields": true }), owned({ "f:a": {} })],
  ["metadata", { "f:metadata": { "f:labels": { "f:a": {} } }, "f:old": {} }, spec({}), { "f:metadata": { "f:labels": { "f:a": {} } } }],
  ["nothing of what owns only what it lacks", owned({ "f:note": {} }), spec({}), null],
])("of an entry, the schema leaves %s", (_, fields, schema, left) => {
  expect(fieldsOfSchema(fields, schema)).toEqual(left);
});
