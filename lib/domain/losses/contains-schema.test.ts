import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { containsSchema } from "./contains-schema.ts";

const string = { type: "string" };
const object = (properties: object, others: object = {}) => ({ type: "object", properties, ...others });
const list = (items: object, others: object = {}) => ({ type: "array", items, ...others });
const contains = (schema: object, other: object) => containsSchema(exactJson(schema), exactJson(other));

test("a schema contains itself and what lacks some of its fields, at any depth", () => {
  const schema = object({ a: string, b: list(object({ c: string, d: string })), m: { type: "object", additionalProperties: string } });
  expect(contains(schema, schema)).toBe(true);
  expect(contains(schema, object({ a: string }))).toBe(true);
  expect(contains(schema, object({ b: list(object({ d: string })) }))).toBe(true);
  expect(contains(object({ a: string }), schema)).toBe(false);
  expect(contains(object({ b: list(object({ d: string })) }), schema)).toBe(false);
});

test("what only validates or explains doesn't count", () => {
  const strict = { ...string, maxLength: 3, pattern: "a", enum: ["a"], description: "A.", "x-kubernetes-validations": [{ rule: "true" }] };
  expect(contains(object({ a: string }, { required: ["a"] }), object({ a: strict }))).toBe(true);
  expect(contains(object({ a: strict }), object({ a: string }))).toBe(true);
});

test.each([
  ["type", { type: "integer" }],
  ["default", { ...string, default: "x" }],
  ["default of false", { ...string, default: false }],
  ["nullable", { ...string, nullable: true }],
  ["x-kubernetes-int-or-string", { "x-kubernetes-int-or-string": true }],
])("a field with another %s is another field", (_keyword, field) => {
  expect(contains(object({ a: field }), object({ a: string }))).toBe(false);
  expect(contains(object({ a: string }), object({ a: field }))).toBe(false);
});

test("a field may be a list or map of another kind, or hold other values", () => {
  const set = list(string, { "x-kubernetes-list-type": "set" });
  expect(contains(object({ a: set }), object({ a: list(string) }))).toBe(false);
  expect(contains(object({ a: list(string) }), object({ a: list({ type: "integer" }) }))).toBe(false);
  const map = (values: object | boolean) => ({ type: "object", additionalProperties: values });
  expect(contains(object({ a: map(string) }), object({ a: map({ type: "integer" }) }))).toBe(false);
  expect(contains(object({ a: map(true) }), object({ a: map(true) }))).toBe(true);
  expect(contains(object({ a: object({}) }), object({ a: map(string) }))).toBe(false);
});

test("where unknown fields are kept, a listed one is pruned inside", () => {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  expect(contains(object({ a: object({}) }, open), object({}, open))).toBe(false);
  expect(contains(object({ a: object({ b: string }) }, open), object({ a: object({}) }, open))).toBe(true);
  expect(contains(object({}, open), object({}))).toBe(false);
  // A null of a field that isn't listed is kept.
  const anything = { additionalProperties: true };
  expect(contains(object({ a: string }, anything), object({}, anything))).toBe(false);
});

// Such a schema counted as contained, so nobody looked at what it shows, and a rewrite dropped it untold.
test("where a list keeps unknown fields, so do its items", () => {
  const open = { "x-kubernetes-preserve-unknown-fields": true };
  const one = (properties: object) => object({ a: list(object(properties), open) });
  expect(contains(one({ b: string, c: object({ d: string }) }), one({ b: string }))).toBe(false);
  expect(contains(one({ b: string }), one({ b: string }))).toBe(true);
  const nested = (properties: object) => object({ a: list(list(object(properties)), open) });
  expect(contains(nested({ b: string, c: object({}) }), nested({ b: string }))).toBe(false);
  expect(contains(object({ a: list(object({ b: string, c: string })) }), object({ a: list(object({ b: string })) }))).toBe(true);
});

test("nothing is known of an unknown schema", () => {
  expect(containsSchema(undefined, undefined)).toBe(false);
  expect(containsSchema(exactJson(string), undefined)).toBe(false);
});
