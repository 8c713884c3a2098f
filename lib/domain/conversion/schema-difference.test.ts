import { expect, test } from "vitest";
import { type ExactJson, exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { type SchemaDifference, schemaDifference } from "./schema-difference.ts";

const string = { type: "string" };
const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const object = (properties: Record<string, unknown>, more: object = {}) => ({ type: "object", properties, ...more });
const numbered = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, string]));
const list = (items: object) => ({ type: "array", items });
const map = (additionalProperties: unknown) => ({ type: "object", additionalProperties });

function differenceOf(...compared: Parameters<typeof schemaDifference>): SchemaDifference {
  const steps = schemaDifference(...compared);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** A version's schema with this spec. */
const withSpec = (spec: unknown): ExactJson => exactJson(object({ apiVersion: string, kind: string, metadata: { type: "object" }, spec }));
const fieldsOf = (from: unknown, to: unknown) => differenceOf(withSpec(from), withSpec(to)).fields;

test.each<[string, unknown, unknown, string[]]>([
  ["the same fields", object({ size: string }), object({ size: { type: "integer" } }), []],
  ["a field that is not there", object({ size: string, note: string }), object({ size: string }), ["spec.note"]],
  ["one that is new", object({ size: string }), object({ size: string, note: string }), []],
  ["all of a part, told once", object({ a: object({ b: string, c: string }) }), object({}), ["spec.a"]],
  ["a key that is no word", object({ "a.b/c": string }), object({}), ['spec["a.b/c"]']],
  ["a field inside", object({ a: object({ b: string, c: string }) }), object({ a: object({ b: string }) }), ["spec.a.c"]],
  ["a field of a list's items", object({ a: list(object({ b: string })) }), object({ a: list(object({})) }), ["spec.a[*].b"]],
  ["an object that is a text now", object({ a: object({ b: string }) }), object({ a: string }), ["spec.a.b"]],
  ["a list that is a text now", object({ a: list(object({ b: string })) }), object({ a: string }), ["spec.a[*].b"]],
  ["a text that is an object now", object({ a: string }), object({ a: object({}) }), []],
  ["a map's values", map(object({ b: string, c: string })), map(object({ b: string })), ["spec.*.c"]],
  ["a map that has named keys now", map(string), object({ plain: string }), ["spec.*"]],
  ["named keys that are a map now", object({ plain: object({ b: string }) }), map(object({})), ["spec.plain.b"]],
  ["maps of objects and named keys", map(object({ b: string })), object({ plain: object({}) }), ["spec.*", "spec.plain.b"]],
  ["a map that allows all values, which is scalars", map(object({ b: string })), map(true), ["spec.*.b"]],
  ["scalars there", map(string), map(true), []],
  ["anything", anything, object({ size: string, deep: object({}) }), ["spec.*"]],
  ["anything in a map", anything, map(object({ size: string })), ["spec.*.*"]],
  ["anything where a list is", map(anything), map(list(object({}))), ["spec.*.*"]],
  ["anything where all is kept", anything, { ...anything, properties: { a: string } }, []],
  ["anything where one part is not", anything, { ...anything, properties: { a: object({ b: string }) } }, ["spec.a.*"]],
  ["named fields where all is kept", object({ a: object({ b: string }) }), anything, []],
  [
    "a number or text",
    object({ a: { "x-kubernetes-int-or-string": true } }),
    object({ a: string, b: { "x-kubernetes-int-or-string": true } }),
    [],
  ],
  ["anything beside a number or text", anything, { ...anything, properties: { a: { "x-kubernetes-int-or-string": true } } }, []],
])("tells what is dropped: %s", (_, from, to, fields) => {
  expect(fieldsOf(from, to)).toEqual(fields);
});

test("metadata of the object and of embedded ones stays, and goes where it is embedded no more", () => {
  const embedded = object({ spec: string }, { "x-kubernetes-embedded-resource": true });
  expect(fieldsOf(object({ template: embedded }), object({ template: object({}, { "x-kubernetes-embedded-resource": true }) }))).toEqual([
    "spec.template.spec",
  ]);
  const fields = ["apiVersion", "kind", "metadata"].map((name) => `spec.template.${name}`);
  expect(fieldsOf(object({ template: embedded }), object({ template: object({ spec: string }) }))).toEqual(fields);
  expect(differenceOf(withSpec(string), exactJson({ type: "object" })).fields).toEqual(["spec"]);
});

test("a schema that is missing has room for nothing, and one that keeps all for everything", () => {
  expect(differenceOf(withSpec(string), undefined).fields).toEqual(["spec"]);
  expect(differenceOf(withSpec(string), exactJson(anything)).fields).toEqual([]);
  expect(differenceOf(exactJson(anything), withSpec(string)).fields).toEqual(["*"]);
});

test("lists 50 fields and counts the rest", () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index}`, string]));
  expect(differenceOf(withSpec(object(many)), withSpec(object({})))).toMatchObject({ more: 10, complete: true });
});

test("schemas made to be compared for ever are not compared to their end, and neither are endless depths", () => {
  const wide = (name: string, depth: number): object =>
    depth === 0 ? string : { ...map(wide(name, depth - 1)), properties: { [name]: wide(name, depth - 1) } };
  const budget = { nodes: 1_000 };
  expect(differenceOf(withSpec(wide("a", 12)), withSpec(wide("b", 12)), { budget }).complete).toBe(false);
  expect(differenceOf(withSpec(string), withSpec(string), { budget }).complete).toBe(false);

  const deep = (depth: number): object => Array.from({ length: depth }).reduce<object>((inner) => object({ a: inner }), string);
  expect(differenceOf(withSpec(deep(1_000)), withSpec(deep(1_000))).complete).toBe(false);
});

test("lists fewer if so many are enough, and counts all", () => {
  const none = differenceOf(withSpec(object({ a: string, b: string })), withSpec(object({})), { mostFields: 0 });
  expect(none).toEqual({ fields: [], more: 2, complete: true });
});

// Without isStepOver (schema-difference.ts) a comparison of two large schemas is one turn.
test.each<[string, object, object]>([
  ["have", object({ spec: object(numbered(20_000)) }), object({ spec: object(numbered(20_000)) })],
  ["lack", object({ spec: object(numbered(20_000)) }), object({ spec: object({}) })],
  ["are a map of", object({ spec: map(object({})) }), object({ spec: object(numbered(20_000)) })],
])("schemas that %s 20,000 fields are compared in steps", (_, from, to) => {
  const steps = [...schemaDifference(exactJson(from), exactJson(to))];
  expect(steps.length).toBeGreaterThanOrEqual(4);
});

// Without its own text (schema-difference.ts, Path) each of the fifty fields has all keys around it written anew.
test("keys around fields are written once, and cost what they take", () => {
  const within = object(numbered(50));
  const long = "k".repeat(100_000);
  const budget = { nodes: 2_000 };
  expect(differenceOf(withSpec(object({ [long]: within })), withSpec(object({ [long]: object({}) })), { budget }).complete).toBe(true);
  expect(budget.nodes).toBeGreaterThan(1_000);
  expect(budget.nodes).toBeLessThan(2_000 - 500);
});

// Copying the path for each field took half a second (schema-difference.ts, Path).
test("400,000 fields 190 levels deep hold nobody up", async () => {
  const within = { properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, string])) };
  const deep = (depth: number): object => Array.from({ length: depth }).reduce<object>((inner) => object({ a: inner }), within);
  const wide = exactJson(object(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`w${index}`, deep(190)]))));
  const { longest, result } = await whileWatched(async () => differenceOf(wide, wide));
  expect(result.complete).toBe(false);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
