import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExactJson, exactJson, parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { fieldLosses } from "./field-losses.ts";

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
    ["added items, since the list is one value", '{"l":[1]}', '{"l":[1,2]}', ["changed l"]],
    ["items dropped and changed", '{"l":[{"a":1},{"b":1}]}', '{"l":[{"a":2}]}', ["dropped l[*]", "changed l[*]"]],
    ["items added and reordered", '{"l":["a","b"]}', '{"l":["b","a","c"]}', ["changed l"]],
    ["items dropped and reordered", '{"l":["a","b","c"]}', '{"l":["b","a"]}', ["dropped l[*]", "changed l"]],
    ["items added, a copy dropped", '{"l":["a","a","b"]}', '{"l":["a","b","c","d"]}', ["changed l[*]"]],
    ["a copy added in front", '{"l":["b","a"]}', '{"l":["a","b","a"]}', ["changed l"]],
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
    const opposite = {
      dropped: "defaulted",
      defaulted: "dropped",
      changed: "changed",
      equivalent: "equivalent",
      "managed-fields": "managed-fields",
    };
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

describe("the values of a loss", () => {
  const values = (before: string, after: string, schema?: object) =>
    fieldLosses(parseExactJson(before), parseExactJson(after), schema && exactJson(schema)).map(({ before, after }) => [before, after]);

  test.each<[string, string, string, [string | null, string | null]]>([
    ["a dropped field", '{"spec":{"a":{"b":[1.0]}}}', '{"spec":{}}', ['{"b":[1.0]}', null]],
    ["a default", '{"spec":{}}', '{"spec":{"mode":"fast"}}', [null, '"fast"']],
    ["another value", '{"spec":{"a":9007199254740993}}', '{"spec":{"a":null}}', ["9007199254740993", "null"]],
    ["fields of items: those of the first", '{"l":[{"b":1},{"b":2}]}', '{"l":[{},{}]}', ["1", null]],
    ["a dropped item", '{"l":[1,2,3]}', '{"l":[1,3]}', ["2", null]],
    ["a dropped copy of an item", '{"l":[1,1]}', '{"l":[1]}', ["1", null]],
    ["an added item", '{"l":[1]}', '{"l":[1,2]}', ["[1]", "[1,2]"]],
  ])("are told for %s", (_, before, after, expected) => {
    expect(values(before, after)).toEqual([expected]);
  });

  test("are short however long they are", () => {
    const [[before = null] = []] = values(JSON.stringify({ a: "x".repeat(1_000_000) }), "{}");
    expect(before).toBe(`"${"x".repeat(199)}…`);
  });
});

describe("with a schema", () => {
  const text = { type: "string" };
  const spec = (properties: object) => ({ type: "object", properties: { spec: { type: "object", properties } } });
  const found = (before: object, after: object, schema: object) =>
    fieldLosses(exactJson(before), exactJson(after), exactJson(schema)).map(({ kind, path }) => `${kind} ${path}`);

  test("the same value written otherwise is equivalent, and tells both spellings", () => {
    const cpu = { "x-kubernetes-int-or-string": true };
    const timeouts = spec({ drain: text, limits: { type: "object", properties: { cpu } } });
    const [before, after] = [{ spec: { drain: "90s", limits: { cpu: "1000m" } } }, { spec: { drain: "1m30s", limits: { cpu: "1" } } }];
    expect(fieldLosses(exactJson(before), exactJson(after), exactJson(timeouts))).toEqual([
      { kind: "equivalent", path: "spec.drain", before: '"90s"', after: '"1m30s"' },
      { kind: "equivalent", path: "spec.limits.cpu", before: '"1000m"', after: '"1"' },
    ]);
    expect(fieldLosses(exactJson(before), exactJson(after)).map(({ kind }) => kind)).toEqual(["changed", "changed"]);
  });

  test("texts that are matched or read literally are changed: labels, strings of free maps, arguments", () => {
    const labeled = (value: string) => ({ metadata: { labels: { age: value } } });
    expect(found(labeled("90s"), labeled("1m30s"), { properties: { metadata: spec({ age: text }) } })).toEqual([
      "changed metadata.labels.age",
    ]);
    const embedded = spec({
      template: { "x-kubernetes-embedded-resource": true, properties: { metadata: { properties: { name: text } } } },
    });
    const template = (name: string) => ({ spec: { template: { metadata: { name } } } });
    expect(found(template("90s"), template("1m30s"), embedded)).toEqual(["changed spec.template.metadata.name"]);
    const env = spec({ env: { type: "object", additionalProperties: text }, args: { type: "array", items: text } });
    expect(found({ spec: { env: { T: "90s" }, args: ["90s"] } }, { spec: { env: { T: "1m30s" }, args: ["1m30s"] } }, env)).toEqual([
      "changed spec.env.T",
      "changed spec.args[*]",
    ]);
  });

  const quantity = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "." };
  test("quantities of a map with free keys, such as requests, are equivalent", () => {
    const requests = spec({ requests: { type: "object", additionalProperties: quantity } });
    expect(found({ spec: { requests: { cpu: "1000m" } } }, { spec: { requests: { cpu: "1" } } }, requests)).toEqual([
      "equivalent spec.requests.cpu",
    ]);
  });

  describe("a list", () => {
    const list = (type: string | undefined, keys?: string[]) =>
      spec({
        l: {
          ...{ type: "array", items: { type: "object", properties: { name: text, wait: text } } },
          ...(type && { "x-kubernetes-list-type": type }),
          ...(keys && { "x-kubernetes-list-map-keys": keys }),
        },
      });
    const lists = (before: unknown[], after: unknown[], schema: object) => found({ spec: { l: before } }, { spec: { l: after } }, schema);
    const [a, b, c] = [
      { name: "a", wait: "1s" },
      { name: "b", wait: "2s" },
      { name: "c", wait: "3s" },
    ];

    test("of type set in another order is equivalent, and nothing else", () => {
      expect(lists(["x", "y", "z"], ["z", "x", "y"], list("set"))).toEqual(["equivalent spec.l"]);
      expect(lists(["x", "y"], ["x", "y"], list("set"))).toEqual([]);
      expect(lists(["x", "y", "z"], ["z", "x"], list("set"))).toEqual(["dropped spec.l[*]", "equivalent spec.l"]);
      expect(lists(["x", "y"], ["y", "x", "z"], list("set"))).toEqual(["defaulted spec.l[*]", "equivalent spec.l"]);
      expect(lists(["x", "y"], ["x", "w"], list("set"))).toEqual(["changed spec.l[*]"]);
    });

    test("of type map in another order is compared item by item", () => {
      const map = list("map", ["name"]);
      expect(lists([a, b, c], [c, a, b], map)).toEqual(["equivalent spec.l"]);
      expect(lists([a, b], [{ name: "b" }, { ...a, wait: "1000ms" }], map)).toEqual([
        "equivalent spec.l[*].wait",
        "dropped spec.l[*].wait",
        "equivalent spec.l",
      ]);
      expect(lists([a, b, c], [a, c], map)).toEqual(["dropped spec.l[*]"]);
      expect(lists([a], [a, b], map)).toEqual(["defaulted spec.l[*]"]);
      expect(lists([a, b], [a, c], map)).toEqual(["changed spec.l[*].name", "changed spec.l[*].wait"]);
    });

    test("of type map whose key got a default keeps its items", () => {
      const ports = list("map", ["name", "protocol"]);
      const [before, after] = [
        [{ name: "a" }, { name: "b" }],
        [
          { name: "a", protocol: "TCP" },
          { name: "b", protocol: "TCP" },
        ],
      ];
      expect(lists(before, after, ports)).toEqual(["defaulted spec.l[*].protocol"]);
    });

    test("without a type, atomic, or with an item twice, is compared in order", () => {
      for (const schema of [list(undefined), list("atomic"), list("map"), list("map", [])]) {
        expect(lists(["x", "y"], ["y", "x"], schema)).toEqual(["changed spec.l[*]"]);
      }
      expect(lists(["x", "y", "x"], ["y", "x", "x"], list("set"))).toEqual(["changed spec.l[*]"]);
      expect(lists([a, b, { ...a, wait: "9s" }], [b, a, { ...a, wait: "9s" }], list("map", ["name"]))).toEqual([
        "changed spec.l[*].name",
        "changed spec.l[*].wait",
      ]);
    });
  });

  test("nothing that differs is left out, and only spellings and orders are equivalent", () => {
    const item = fc.record({ name: fc.constantFrom("a", "b", "c"), wait: fc.constantFrom("60s", "1m", "2m", "1") });
    const items = fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 3 });
    const schema = spec({
      l: {
        ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
        items: { type: "object", properties: { name: text, wait: text } },
      },
    });
    const meaning = (list: { name: string; wait: string }[]) =>
      Object.fromEntries(list.map(({ name, wait }) => [name, wait === "60s" ? "1m" : wait]));
    fc.assert(
      fc.property(items, items, (one, other) => {
        const kinds = fieldLosses(exactJson({ spec: { l: one } }), exactJson({ spec: { l: other } }), exactJson(schema)).map(
          ({ kind }) => kind,
        );
        expect(kinds.length === 0).toBe(JSON.stringify(one) === JSON.stringify(other));
        const isSame = JSON.stringify(Object.entries(meaning(one)).sort()) === JSON.stringify(Object.entries(meaning(other)).sort());
        expect(kinds.every((kind) => kind === "equivalent")).toBe(isSame);
      }),
    );
  });
});

// With an identity of all keys (itemIdentity in item-identity.ts) each item was written out with each of them: eight seconds for 500 items.
test("a list of items that its schema names by 10,000 keys holds nobody up", async () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `k${index}`);
  const list = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys };
  const schema = exactJson({ type: "object", properties: { l: list } });
  const items = (first: string) => exactJson({ l: [{ first }, ...Array.from({ length: 1_000 }, () => ({}))] });
  const { longest, result } = await whileWatched(async () => fieldLosses(items("a"), items("b"), schema));
  expect(result).toHaveLength(1);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without limitedSameValue (limited-same-value.ts) each was parsed, twice: seconds.
test.each([
  ["180,000 short", 180_000, "1s", "1000ms"],
  ["30,000 long", 30_000, `${"1h".repeat(49)}0s`, `${"1h".repeat(49)}0m`],
])("%s durations that are written otherwise hold nobody up", async (_, count, one, other) => {
  const schema = exactJson({ properties: { l: { items: { type: "string", format: "duration" } } } });
  const object = (text: string) => exactJson({ l: Array.from({ length: count }, () => text) });
  const [before, after] = [object(one), object(other)];
  const { longest, result } = await whileWatched(async () => fieldLosses(before, after, schema));
  expect(result).toMatchObject([
    { kind: "equivalent", path: "l[*]" },
    { kind: "changed", path: "l[*]" },
  ]);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Copying the path for each key took over a second, without any difference, too (field-path.ts, fieldPath).
test.each([0, 1])("50,000 fields under 900 levels hold nobody up, each different by %i", async (difference) => {
  const nested = (value: number) => {
    let inner: unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, value]));
    for (let level = 0; level < 900; level += 1) inner = { a: inner };
    return exactJson({ spec: inner });
  };
  const [before, after] = [nested(1), nested(1 + difference)];
  const { longest, result } = await whileWatched(async () => fieldLosses(before, after));
  expect(new Set(result.map(({ kind, path }) => `${kind} ${path}`)).size).toBe(difference * 50_000);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Comparing texts (item-identity.ts, itemIdentity) printed all that is below, at each level: over a minute for 230,000 zeros.
test.each<[string, (items: object) => object, (inner: string) => string]>([
  ["set", (items) => ({ "x-kubernetes-list-type": "set", items }), (inner) => `[${inner}]`],
  [
    "map",
    (items) => ({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: { properties: { k: items } } }),
    (inner) => `[{"k":${inner}}]`,
  ],
])("300 levels of nested lists of type %s hold nobody up", async (_, typed, around) => {
  let schema = {};
  let lists = (zeros: string) => `[${zeros}]`;
  for (let level = 0; level < 300; level += 1) {
    const inner = lists;
    lists = (zeros) => around(inner(zeros));
    schema = typed(schema);
  }
  const of = exactJson({ properties: { l: schema } });
  const object = (last: number) => parseExactJson(`{"l":${lists("0,".repeat(230_000) + last)}}`);
  const [before, same, other] = [object(0), object(0), object(1)];
  const equal = await whileWatched(async () => fieldLosses(before, same, of));
  expect(equal.result).toEqual([]);
  expect(equal.longest).toBeLessThan(LONGEST_TURN);
  const different = await whileWatched(async () => fieldLosses(before, other, of));
  expect(different.result).toMatchObject([{ kind: "changed", before: "0", after: "1" }]);
  expect(different.longest).toBeLessThan(LONGEST_TURN);
});

// Without isLong (field-path.ts, stepText) all of each key was quoted to write its path: half a second for each megabyte.
test("long keys that are dropped, added and changed hold nobody up, and have a path each", async () => {
  const object = (keys: Record<string, number>) =>
    exactJson({ spec: Object.fromEntries(Object.entries(keys).map(([end, value]) => ["\u007f".repeat(1_400_000) + end, value])) });
  const [before, after] = [object({ a: 1, b: 1, c: 1, d: 1 }), object({ a: 2, b: 2, e: 1, f: 1 })];
  const { longest, result } = await whileWatched(async () => fieldLosses(before, after));
  expect(result.map(({ kind }) => kind)).toEqual(["changed", "changed", "dropped", "dropped", "defaulted", "defaulted"]);
  expect(new Set(result.map(({ path }) => path)).size).toBe(6);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// With a generator for each level (short-text.ts, shortText) each bracket passed through all of those around it: over two seconds.
test("the values of 1,000 losses that are 200 lists deep are told in no time", async () => {
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  const object = (around: (inner: string) => string) =>
    parseExactJson(`{${Array.from({ length: 1_000 }, (_, index) => `"k${index}":${around(deep)}`).join()}}`);
  const [before, after] = [object((inner) => inner), object((inner) => `{"a":${inner}}`)];
  const { longest, result } = await whileWatched(async () => fieldLosses(before, after));
  expect(result).toHaveLength(1_000);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without its first keys (short-text.ts, firstKeys) it was listed for each of the lists, twice: seconds.
test("an object of 200,000 keys below 30 nested lists in another order holds nobody up", async () => {
  const keys = exactJson(Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 1])));
  let [before, after, schema]: [ExactJson, ExactJson, object] = [keys, keys, {}];
  for (let level = 0; level < 30; level += 1) {
    before = [{ a: before, n: "x" }, { n: "y" }];
    after = [{ n: "y" }, { a: after, n: "x" }];
    schema = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"], items: { properties: { a: schema } } };
  }
  const of = exactJson({ properties: { l: schema } });
  const [one, other] = [{ l: before }, { l: after }];
  const { longest, result } = await whileWatched(async () => fieldLosses(one, other, of));
  expect(result).toHaveLength(30);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
