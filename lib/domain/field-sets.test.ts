import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExactJson, ExactNumber } from "./exact-json.ts";
import { fieldSetPaths } from "./field-sets.ts";

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
