import fc from "fast-check";
import { expect, test } from "vitest";
import { type ExactJson, ExactNumber } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { fieldSetPaths, formatFieldPath, type PathStep } from "./field-path.ts";

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

// Their path is one, so that the limit of paths is never reached: eleven seconds for an entry of 256 KiB, and each reader pays them.
test("thousands of items far below long keys hold nobody up", async () => {
  let fields: ExactJson = Object.fromEntries(Array.from({ length: 14_000 }, (_, index) => [`i:${index}`, {}]));
  for (let level = 0; level < 98; level += 1) fields = { [`f:${"a".repeat(1_000)}`]: fields };
  const { longest, result } = await whileWatched(async () => fieldSetPaths(fields));
  expect(result).toHaveLength(1);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

// Without isLong (field-path.ts, stepText) all of a key was tested, quoted and told apart as quoted, of which a path shows 300 characters.
test("a key of 1.5 million characters that can't be seen holds nobody up, wherever it is", async () => {
  const long = "\u007f".repeat(1_500_000);
  const { longest, result } = await whileWatched(async () =>
    Array.from({ length: 10 }, (_, index) => formatFieldPath([key(`field${index}`), key(long)])),
  );
  for (const path of result) expect(path).toHaveLength(300);
  expect(new Set(result).size).toBe(10);
  expect(longest).toBeLessThan(LONGEST_TURN);
});

test("long keys that differ in their last character, or in what follows them, are different paths", () => {
  // At each length around that of a path, and with what a cut path has at its end.
  for (const character of ["a", "\u007f", "."]) {
    for (const length of [240, 275, 276, 277, 298, 299, 300, 301, 302, 400]) {
      const [a, b] = ["a", "b"].map((end) => key(character.repeat(length) + end));
      const cut = key(formatFieldPath([key(character.repeat(length)), key("a".repeat(300))]));
      const paths = [a, b, cut].flatMap((long) => {
        if (long === undefined) return [];
        return [[long], [long, key("x")], [long, key("y")], [key("x"), long], [long, "index" as const], [long, long], [long, long, long]];
      });
      expect(new Set(paths.map(formatFieldPath)).size).toBe(paths.length);
    }
  }
});

test("a key that is long, or nests deep, isn't repeated for each field below it", () => {
  const below = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`f:field${index}`, {}]));
  const paths = fieldSetPaths({ [`f:${"k".repeat(30_000)}`]: below });
  expect(new Set(paths).size).toBe(200);
  for (const path of paths) expect(path).toMatch(/^k{276}\.{3}[0-9a-z]{21}$/);
  let deep: ExactJson = {};
  for (let level = 0; level < 9_000; level += 1) deep = { "f:a": deep };
  expect(fieldSetPaths(deep)).toEqual([Array(100).fill("a").join(".")]);
});
