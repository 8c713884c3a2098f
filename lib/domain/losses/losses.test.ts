import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { fieldLosses, generationOf, holdsBack, managedFieldsLosses } from "./losses.ts";

const losses = (before: string, after: string) =>
  fieldLosses(parseExactJson(before), parseExactJson(after)).map(({ kind, path }) => `${kind} ${path}`);

describe("what differs between an object and the dry run's answer", () => {
  test.each<[string, string, string, string[]]>([
    ["a dropped field", '{"spec":{"a":1,"b":2}}', '{"spec":{"a":1}}', ["dropped spec.b"]],
    ["a dropped tree, as its top", '{"spec":{"a":{"b":{"c":[1]}}}}', '{"spec":{}}', ["dropped spec.a"]],
    ["a default", '{"spec":{}}', '{"spec":{"mode":"fast"}}', ["defaulted spec.mode"]],
    ["another value", '{"spec":{"a":1}}', '{"spec":{"a":2}}', ["changed spec.a"]],
    ["another type", '{"spec":{"a":"1"}}', '{"spec":{"a":{"b":1}}}', ["changed spec.a"]],
    ["a list that became an object", '{"spec":{"a":[]}}', '{"spec":{"a":{}}}', ["changed spec.a"]],
    ["a null that vanished", '{"spec":{"a":null}}', '{"spec":{}}', ["dropped spec.a"]],
    ["a null that became a value", '{"spec":{"a":null}}', '{"spec":{"a":{}}}', ["changed spec.a"]],
    ["fields of items, once for all", '{"l":[{"a":1,"b":1},{"a":2,"b":2}]}', '{"l":[{"a":1},{"a":2}]}', ["dropped l[*].b"]],
    ["lists in lists", '{"l":[[{"a":1}]]}', '{"l":[[{}]]}', ["dropped l[*][*].a"]],
    ["dropped items", '{"l":[1,2,3]}', '{"l":[1,3]}', ["dropped l[*]"]],
    ["added items", '{"l":[1]}', '{"l":[1,2]}', ["defaulted l[*]"]],
    ["items dropped and changed", '{"l":[{"a":1},{"b":1}]}', '{"l":[{"a":2}]}', ["dropped l[*]", "changed l[*]"]],
    ["keys with dots and slashes", '{"a":{"x.y/z":1}}', '{"a":{}}', ['dropped a["x.y/z"]']],
    ["keys of prototypes", '{"a":{"__proto__":1,"constructor":2}}', '{"a":{}}', ["dropped a.__proto__", "dropped a.constructor"]],
    ["int64 beyond 2^53", '{"a":9007199254740993}', '{"a":9007199254740992}', ["changed a"]],
  ])("%s", (_, before, after, expected) => {
    expect(losses(before, after)).toEqual(expected);
  });

  test("leaves out what the API server keeps for itself, and nothing beside it", () => {
    const before = '{"metadata":{"resourceVersion":"1","generation":1,"managedFields":[{"manager":"a","time":"1"}],"labels":{"a":"b"}}}';
    const after = '{"metadata":{"resourceVersion":"2","generation":2,"managedFields":[{"manager":"b"},{}],"uid":"x"}}';
    expect(losses(before, after)).toEqual(["dropped metadata.labels", "defaulted metadata.uid"]);
    expect(losses(before, '{"metadata":{"labels":{"a":"b"}}}')).toEqual([]);
    expect(losses('{"spec":{"metadata":{"generation":1}}}', '{"spec":{"metadata":{}}}')).toEqual(["dropped spec.metadata.generation"]);
  });

  const key = fc.constantFrom("a", "b", "c.d", "__proto__");
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom(null, true, "x", 1, 2),
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 3 }),
    ),
  }));
  const exact = (json: unknown): ExactJson => parseExactJson(JSON.stringify(json));

  test("is nothing where nothing differs", () => {
    fc.assert(fc.property(tree, (json) => void expect(fieldLosses(exact(json), exact(json))).toEqual([])));
  });

  test("is something wherever anything differs, and each path once a kind", () => {
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const found = fieldLosses(exact({ spec: one }), exact({ spec: other }));
        const [first, second] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
        if (found.length === 0) expect(first).toEqual(second);
        expect(new Set(found.map(({ kind, path }) => `${kind} ${path}`)).size).toBe(found.length);
        for (const { path } of found) expect(path.startsWith("spec")).toBe(true);
      }),
    );
  });

  test("turned round, is the same paths with dropped for defaulted", () => {
    const opposite = { dropped: "defaulted", defaulted: "dropped", changed: "changed", "managed-fields": "managed-fields" };
    const maps = fc.dictionary(key, fc.dictionary(key, fc.constantFrom(1, 2, "x")));
    fc.assert(
      fc.property(maps, maps, (one, other) => {
        const there = fieldLosses(exact(one), exact(other)).map(({ kind, path }) => `${opposite[kind]} ${path}`);
        const back = fieldLosses(exact(other), exact(one)).map(({ kind, path }) => `${kind} ${path}`);
        expect(there.sort()).toEqual(back.sort());
      }),
    );
  });
});

describe("managedFields", () => {
  const object = (...entries: object[]) => parseExactJson(JSON.stringify({ metadata: { managedFields: entries } }));
  const entry = (manager: string, operation = "Update", apiVersion = "a/v1", subresource?: string) => ({
    manager,
    operation,
    apiVersion,
    subresource,
  });

  test("that vanish are told by manager, once however many entries it had", () => {
    const before = object(entry("a", "Apply"), entry("a"), entry('say "x"'), entry("kept"));
    expect(managedFieldsLosses(before, object(entry("kept"))).map(({ path }) => path)).toEqual([
      'metadata.managedFields[manager="a"]',
      'metadata.managedFields[manager="say \\"x\\""]',
    ]);
  });

  test("that go to another version are not lost; to another operation or subresource they are", () => {
    expect(managedFieldsLosses(object(entry("a", "Apply", "a/v1beta1")), object(entry("a", "Apply", "a/v1")))).toEqual([]);
    expect(managedFieldsLosses(object(entry("a", "Apply")), object(entry("a", "Update")))).toHaveLength(1);
    expect(managedFieldsLosses(object(entry("a", "Update", "a/v1", "status")), object(entry("a")))).toHaveLength(1);
  });

  test("of an object that has none are not lost", () => {
    expect(managedFieldsLosses(parseExactJson("{}"), parseExactJson("{}"))).toEqual([]);
    expect(managedFieldsLosses(object(), object(entry("crdshift")))).toEqual([]);
  });
});

test("all but a stored default hold a rewrite back", () => {
  expect((["dropped", "changed", "managed-fields", "defaulted"] as const).map(holdsBack)).toEqual([true, true, true, false]);
});

test("the generation is a number, or none", () => {
  expect(generationOf(parseExactJson('{"metadata":{"generation":12}}'))).toBe(12);
  for (const text of ["{}", '{"metadata":{}}', '{"metadata":{"generation":"12"}}']) expect(generationOf(parseExactJson(text))).toBeNull();
});
