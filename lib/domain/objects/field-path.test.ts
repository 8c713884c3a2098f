import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExactJson, ExactNumber, exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldSetPaths, formatFieldPath, type PathStep, unlikeFields } from "./field-path.ts";

const key = (name: string): PathStep => ({ key: name });

test.each<[PathStep[], string]>([
  [[key("spec"), key("containers"), "index", key("image")], "spec.containers[*].image"],
  [[key("spec"), key("rows"), "index", "index"], "spec.rows[*][*]"],
  [[key("metadata"), key("annotations"), key("example.com/team")], 'metadata.annotations["example.com/team"]'],
  [[key("a.b"), key("c")], '["a.b"].c'],
  [[key("spec"), key("0")], 'spec["0"]'],
  [[key("spec"), key("")], 'spec[""]'],
  [[key("spec"), key('say "x"')], 'spec["say \\"x\\""]'],
  [[key("spec"), key("a\u200fb")], 'spec["a\\u200fb"]'],
  [[key("spec"), key("a\\u200fb")], 'spec["a\\\\u200fb"]'],
  [[key("$ref"), key("kebab-case"), key("_x")], "$ref.kebab-case._x"],
  [[key("spec"), key("pools"), "any-key", key("size")], "spec.pools.*.size"],
  [["any-key", key("*")], '*["*"]'],
  [[], ""],
])("%j is written %s", (steps, path) => {
  expect(formatFieldPath(steps)).toBe(path);
});

test("different steps never read alike, whatever the keys are made of", () => {
  const step: fc.Arbitrary<PathStep> = fc.oneof(
    fc.constantFrom("index", "any-key"),
    fc
      .oneof(
        fc.string({ unit: fc.constantFrom("a", ".", "/", "[", "]", "*", '"', "\\", "0", "-", "\u200e", "\u200f", "u200f"), maxLength: 4 }),
      )
      .map(key),
  );
  const steps = fc.array(step, { maxLength: 4 });
  fc.assert(
    fc.property(steps, steps, (one, other) => {
      expect(formatFieldPath(one) === formatFieldPath(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
    }),
    { numRuns: 2_000 },
  );
});

test("fields are paths, items of lists and sets are folded, and a field owned with its inner ones is not written twice", () => {
  const fields = {
    "f:metadata": { "f:annotations": { ".": {}, "f:example.com/team": {} } },
    "f:spec": {
      "f:replicas": {},
      "f:containers": { 'k:{"name":"a"}': { ".": {}, "f:image": {} } },
      "f:finalizers": { ".": {}, 'v:"x"': {} },
      "f:rows": { "i:0": {} },
    },
  };
  expect(fieldSetPaths(fields)).toEqual([
    'metadata.annotations["example.com/team"]',
    "spec.replicas",
    "spec.containers[*].image",
    "spec.finalizers[*]",
    "spec.rows[*]",
  ]);
});

test("the same field of many items of a list is one path", () => {
  const items = Object.fromEntries(["a", "b", "c"].map((name) => [`k:{"name":"${name}"}`, { "f:image": {} }]));
  expect(fieldSetPaths({ "f:containers": items })).toEqual(["containers[*].image"]);
});

test.each<[ExactJson | undefined]>([[undefined], [null], ["f:a"], [[]], [{}], [new ExactNumber("1")], [{ ".": {} }]])(
  "nothing owns nothing: %j",
  (fields) => {
    expect(fieldSetPaths(fields)).toEqual([]);
  },
);

test("never more than two hundred, whatever the set", () => {
  const set = fc.letrec<{ set: ExactJson }>((tie) => ({
    set: fc.oneof(
      { maxDepth: 4 },
      fc.constant<ExactJson>({}),
      fc.dictionary(
        fc.string({ maxLength: 3 }).map((name) => `f:${name}`),
        tie("set"),
        { maxKeys: 8 },
      ),
    ),
  })).set;
  fc.assert(
    fc.property(set, (fields) => {
      const paths = fieldSetPaths(fields);
      expect(paths.length).toBeLessThanOrEqual(200);
      expect(new Set(paths).size).toBe(paths.length);
    }),
  );
  const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f:x${index}`, {}]));
  expect(fieldSetPaths({ "f:spec": wide })).toHaveLength(200);
});

const unlike = (fields: object, one: object, other: object) => unlikeFields(exactJson(fields), exactJson(one), exactJson(other));

// Without the comparison of values (unlikeFields in field-path.ts) nothing is found, and an entry for `size` is taken for one of `replicas`.
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
  ["another item there", { "f:l": { "i:1": {} } }, { l: [1, 2] }, { l: [2, 1] }, ["l[*]"]],
])("an entry means the same at both versions, or names what doesn't: %s", (_, fields, one, other, paths) => {
  expect(unlike(fields, one, other)).toEqual(paths);
});
