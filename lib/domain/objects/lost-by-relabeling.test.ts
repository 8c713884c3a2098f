import { expect, test } from "vitest";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { lostByRelabeling } from "./lost-by-relabeling.ts";

const items = { type: "object", properties: { name: { type: "string" }, port: { type: "integer" } } };
const map = (...keys: string[]) => ({ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys, items });
const list = (type: string) => ({ type: "array", "x-kubernetes-list-type": type, items: { type: "string" } });
const untypedList = { type: "array", items };
const fields = { type: "object", properties: { a: { type: "integer" } } };
const whole = { ...fields, "x-kubernetes-map-type": "atomic" };
const any = { "x-kubernetes-preserve-unknown-fields": true };
const mapOf = (values: ExactJson): ExactJson => ({ type: "object", additionalProperties: values });
const wholeMapOf = (values: ExactJson): ExactJson => ({ type: "object", additionalProperties: values, "x-kubernetes-map-type": "atomic" });
const quantity = { "x-kubernetes-int-or-string": true };
const date = { type: "string", format: "date" };
const anyFields = { type: "object", ...any };
const schema = (x: ExactJson | null) => ({ type: "object", properties: { spec: { type: "object", properties: x === null ? {} : { x } } } });

const byName = { 'k:{"name":"a"}': { ".": {}, "f:name": {} } };
const byBoth = { 'k:{"name":"a","port":1}': { ".": {}, "f:name": {} } };
const byValue = { 'v:"x"': {} };
const inner = { "f:a": {} };
const lost = ["spec.x"];

// Each as measured: after the move, an unforced apply of another manager takes the field where it is lost, and conflicts where it isn't.
test.each<[string, ExactJson, ExactJson | null, ExactJson, string[]]>([
  ["an item, with more keys", map("name"), map("name", "port"), byName, lost],
  ["an item, with fewer keys", map("name", "port"), map("name"), byBoth, lost],
  ["an item, with another key", map("name"), map("port"), byName, lost],
  ["an item, with its keys in another order", map("name", "port"), map("port", "name"), byBoth, []],
  ["an item of a map that becomes a set", map("name"), list("set"), byName, lost],
  ["an item of a set that becomes a map", list("set"), map("name"), byValue, lost],
  ["an item of a list that becomes whole", map("name"), untypedList, byName, []],
  ["an item of a set that becomes whole", list("set"), list("atomic"), byValue, []],
  ["an item of a list without a schema any more", map("name"), any, byName, lost],
  ["an item of a list that is gone", map("name"), null, byName, []],
  ["a value of a map that becomes whole", mapOf({ type: "integer" }), wholeMapOf({ type: "integer" }), inner, []],
  ["a value of a map of quantities that becomes whole", mapOf(quantity), wholeMapOf(quantity), inner, lost],
  ["a value of a map of dates that becomes whole", mapOf(date), wholeMapOf(date), inner, lost],
  ["a value of a map of anything that becomes whole", mapOf(true), wholeMapOf(true), inner, lost],
  ["a value of a map without a schema that becomes whole", anyFields, { ...anyFields, "x-kubernetes-map-type": "atomic" }, inner, lost],
  ["a value of it that is listed, and becomes whole", fields, { ...whole, ...any }, inner, []],
  ["a whole list that becomes a map", untypedList, map("name"), {}, lost],
  ["a whole list that becomes a set", list("atomic"), list("set"), {}, lost],
  [
    "an item of a list without a schema any more, in a map of any values",
    map("name"),
    { type: "object", additionalProperties: true },
    { "f:a": byName },
    ["spec.x.a"],
  ],
  ["a list that had no schema", any, map("name"), {}, lost],
  ["an empty list of a map", map("name"), map("name", "port"), {}, []],
  ["a whole map that gets fields", whole, fields, {}, lost],
  ["a whole map without a schema any more", whole, anyFields, {}, lost],
  ["a field of a map that becomes whole", fields, whole, inner, []],
  ["a field of a map without a schema any more", fields, any, inner, []],
  ["a field that had no schema", any, fields, inner, []],
  ["an empty map", fields, anyFields, {}, []],
])("%s", (_, from, to, owned, expected) => {
  const entry = { "f:metadata": { "f:ownerReferences": { 'k:{"uid":"u"}': {} } }, "f:spec": { "f:x": owned } };
  expect(lostByRelabeling(entry, { from: schema(from), to: schema(to) })).toEqual(expected);
});

test("items within items, and within what only keeps unknown fields", () => {
  const nested = (...keys: string[]) => schema({ ...map("name"), items: { type: "object", properties: { inner: map(...keys) } } });
  const entry = { "f:spec": { "f:x": { 'k:{"name":"a"}': { "f:inner": byName } } } };
  expect(lostByRelabeling(entry, { from: nested("name"), to: nested("port") })).toEqual(["spec.x[*].inner"]);
  expect(lostByRelabeling(entry, { from: nested("name"), to: nested("name") })).toEqual([]);
  const within = { "f:spec": { "f:x": { "f:a": byName } } };
  expect(lostByRelabeling(within, { from: schema({ type: "object", properties: { a: map("name") } }), to: schema(anyFields) })).toEqual([
    "spec.x.a",
  ]);
});

test("an entry of a version whose schema isn't known is lost where its items are named otherwise, and with neither schema, wherever it names any", () => {
  const entry = (owned: ExactJson) => ({ "f:spec": { "f:x": owned } });
  expect(lostByRelabeling(entry(byName), { from: undefined, to: schema(map("name", "port")) })).toEqual(lost);
  expect(lostByRelabeling(entry(byName), { from: undefined, to: schema(map("name")) })).toEqual([]);
  expect(lostByRelabeling(entry({}), { from: undefined, to: schema(map("name")) })).toEqual([]);
  expect(lostByRelabeling(entry(byName), { from: undefined, to: undefined })).toEqual(lost);
  expect(lostByRelabeling(entry(inner), { from: undefined, to: undefined })).toEqual([]);
});

// With metadata taken for a part of the schema (visit) every object with a finalizer or an owner keeps its old entries.
test.each([
  ["an object", { ...anyFields }, (metadata: ExactJson) => ({ "f:metadata": metadata })],
  [
    "an embedded object",
    schema({ ...anyFields, "x-kubernetes-embedded-resource": true }),
    (metadata: ExactJson) => ({ "f:spec": { "f:x": { "f:metadata": metadata } } }),
  ],
] as const)("the metadata of %s is never lost", (_, to, entry) => {
  const fields = entry({ "f:finalizers": { 'v:"example.com/hold"': {} }, "f:ownerReferences": { 'k:{"uid":"u"}': {} } });
  for (const from of [to, undefined]) expect(lostByRelabeling(fields, { from, to })).toEqual([]);
});

test("fields that the other schema prunes count only where a conversion may have renamed them", () => {
  const from = schema({ type: "object", properties: { old: { type: "string" } } });
  const to = schema({ type: "object", properties: { renamed: { type: "string" } } });
  const owned = { "f:spec": { "f:x": { "f:old": {} } } };
  expect(lostByRelabeling(owned, { from, to })).toEqual([]);
  expect(lostByRelabeling(owned, { from: undefined, to, mayRename: true })).toEqual(["spec.x.old"]);
});

// Without keysOf (lost-by-relabeling.ts) all keys are gathered for each list: 2.4 s.
test("thousands of lists of items that their schema names by 10,000 keys hold nobody up", async () => {
  const inner = map(...Array.from({ length: 10_000 }, (_, index) => `k${index}`));
  const to = schema({ ...map("name"), items: { type: "object", properties: { inner } } });
  const lists = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k:{"name":"${index}"}`, { "f:inner": byName }]));
  const entry = { "f:spec": { "f:x": lists } };
  const { longest, result } = await whileWatched(async () => lostByRelabeling(entry, { from: to, to }));
  expect(result).toEqual(["spec.x[*].inner"]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

test("a key that the schema lists twice names an item once", () => {
  const entry = { "f:spec": { "f:x": byName } };
  expect(lostByRelabeling(entry, { from: undefined, to: schema(map("name", "name")) })).toEqual([]);
});
