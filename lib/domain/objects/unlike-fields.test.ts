import { expect, test } from "vitest";
import { exactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { unlikeFields } from "./unlike-fields.ts";

const unlike = (fields: object, one: object, other: object) =>
  unlikeFields([exactJson({ fieldsV1: fields })], exactJson(one), exactJson(other));

// Without the comparison of values (unlike-fields.ts) nothing is found, and an entry for `size` is taken for one of `replicas`.
test.each<[string, object, object, object, string[]]>([
  ["the same value", { "f:spec": { "f:a": {} } }, { spec: { a: 1, b: 1 } }, { spec: { a: 1, c: 2 } }, []],
  ["another name", { "f:spec": { "f:size": {} } }, { spec: { size: 1 } }, { spec: { replicas: 1 } }, ["spec.size"]],
  ["another value", { "f:spec": { "f:a": {} } }, { spec: { a: 1 } }, { spec: { a: 2 } }, ["spec.a"]],
  ["another type", { "f:spec": { "f:a": {} } }, { spec: { a: "x" } }, { spec: { a: { host: "x" } } }, ["spec.a"]],
  ["an object that is gone", { "f:spec": { "f:a": { ".": {}, "f:b": {} } } }, { spec: { a: { b: 1 } } }, { spec: {} }, ["spec.a"]],
  ["none at either", { "f:spec": { "f:a": {} } }, { spec: {} }, { spec: {} }, []],
  ["two of three", { "f:a": {}, "f:b": {}, "f:c": {} }, { a: 1, b: 1, c: 1 }, { a: 2, b: 1, c: 2 }, ["a", "c"]],
  ["an item by its key", { "f:l": { 'k:{"n":"x"}': { "f:v": {} } } }, { l: [{ n: "x", v: 1 }] }, { l: [{ n: "y" }, { n: "x", v: 1 }] }, []],
  ["an item that moved", { "f:l": { 'k:{"n":"x"}': { "f:v": {} } } }, { l: [{ n: "x", v: 1 }] }, { l: [{ n: "y", v: 1 }] }, ["l[*]"]],
  ["an item of a set", { "f:l": { 'v:"x"': {} } }, { l: ["x", "y"] }, { l: ["y", "x"] }, []],
  ["an item that a set lost", { "f:l": { 'v:"x"': {} } }, { l: ["x"] }, { l: ["y"] }, ["l[*]"]],
  ["an item by its index", { "f:l": { "i:1": {} } }, { l: [1, 2] }, { l: [3, 2] }, []],
  ["a key that is no JSON", { "f:l": { "k:{x": {}, 'v:"': {} } }, { l: ["x"] }, { l: ["y"] }, []],
  ["another item there", { "f:l": { "i:1": {} } }, { l: [1, 2] }, { l: [2, 1] }, ["l[*]"]],
])("an entry means the same at both versions, or names what doesn't: %s", (_, fields, one, other, paths) => {
  expect(unlike(fields, one, other)).toEqual(paths);
});

// Searching the list for each item took 3 s for 4,000 items (unlike-fields.ts, itemsBy).
test.each<[string, (name: string) => unknown, (name: string) => string]>([
  ["set", (name) => name, (name) => `v:"${name}"`],
  ["map", (name) => ({ name, protocol: "TCP" }), (name) => `k:{"name":"${name}","protocol":"TCP"}`],
  ["map, each named by a key of its own", (name) => ({ [name]: "TCP" }), (name) => `k:{"${name}":"TCP"}`],
])("15,000 items of a %s hold nobody up", async (_, itemOf, keyOf) => {
  const names = Array.from({ length: 15_000 }, (_, index) => `item-${index}`);
  const fields = exactJson({ fieldsV1: { "f:l": Object.fromEntries(names.map((name) => [keyOf(name), {}])) } });
  const [one, other] = [exactJson({ l: names.map(itemOf) }), exactJson({ l: names.slice(1).map(itemOf) })];
  const { longest, result } = await whileWatched(async () => unlikeFields([fields], one, other));
  expect(result).toEqual(["l[*]"]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Comparing texts (number-values.ts) printed all that is below, at each level or for each key: 58 s for 600 KB.
test.each<[string, object, number]>([
  ["each of 100 nested lists as a set", nested(100, (inner) => ({ "v:1": {}, "i:0": inner })), 100],
  ["one item by 20,000 spellings of its index", spellings(20_000), 2],
  // With an index by all of them (itemsBy in field-reader.ts) each item was asked for each: minutes.
  ["an item by 40,000 keys", { [`k:${JSON.stringify(Object.fromEntries(manyNames(40_000)))}`]: {} }, 1],
])("naming %s holds nobody up", async (_, fields, levels) => {
  const list = `{"l":${"[".repeat(levels)}${"0,".repeat(100_000)}0${"]".repeat(levels)}}`;
  const [one, other] = [parseExactJson(list), parseExactJson(list)];
  const entry = exactJson({ fieldsV1: { "f:l": fields } });
  const { longest, result } = await whileWatched(async () => unlikeFields([entry], one, other));
  expect(result).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// With a limit for each list alone (readsLeft in field-reader.ts) this took seconds.
test("naming an item of each of 280 lists by 300 keys holds nobody up", async () => {
  const key = `k:${JSON.stringify(Object.fromEntries(manyNames(300)))}`;
  const lists = Array.from({ length: 280 }, (_, index) => `l${index}`);
  const entry = exactJson({ fieldsV1: Object.fromEntries(lists.map((name) => [`f:${name}`, { [key]: {} }])) });
  const object = exactJson(Object.fromEntries(lists.map((name) => [name, Array.from({ length: 800 }, () => ({}))])));
  const { longest, result } = await whileWatched(async () => unlikeFields([entry], object, object));
  expect(result).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

function manyNames(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`a${index}`, 1]);
}

function nested(levels: number, around: (inner: object) => object): object {
  return levels === 0 ? {} : around(nested(levels - 1, around));
}

function spellings(count: number): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`i:0.${"0".repeat(index % 50)}e${index}`, {}]));
}
