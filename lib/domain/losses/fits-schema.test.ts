import { expect, test } from "vitest";
import { exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { fitsSchema } from "./fits-schema.ts";

const string = { type: "string" };
const item = { type: "object", properties: { name: string, port: { type: "integer" } } };
const open = { "x-kubernetes-preserve-unknown-fields": true };
const map = (keys: string[]) => ({ type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys });

const fits = (field: object, value: unknown) =>
  fitsSchema(
    exactJson({ apiVersion: "g/v1", kind: "Widget", metadata: { name: "one", labels: { a: "b" } }, a: value }),
    exactJson({ type: "object", properties: { a: field, metadata: { type: "object" } } }),
  );

test.each([
  ["a string", string, "x"],
  ["a number", { type: "integer" }, 1.5],
  ["a boolean", { type: "boolean" }, false],
  ["a number or string", { "x-kubernetes-int-or-string": true }, "80%"],
  ["a list with a value twice", { type: "array", items: string }, ["x", "x"]],
  ["a set", { type: "array", items: string, "x-kubernetes-list-type": "set" }, ["x", "y"]],
  ["a map list", map(["name", "port"]), [{ name: "x", port: 1 }, { name: "x", port: 2 }]], // biome-ignore format: one line each
  ["a map", { type: "object", additionalProperties: string }, { x: "y" }],
  ["unknown fields that are kept", { type: "object", ...open }, { x: [1, { y: true }] }],
  ["anything that is kept", open, ["x", 1]],
  ["a listed field of what has no type", { ...open, properties: { a: string } }, { a: "x", b: 1 }],
])("%s fits", (_what, field, value) => {
  expect(fits(field, value)).toBe(true);
});

test.each([
  ["null", { ...string, nullable: true }, null],
  ["null among unknown fields", { type: "object", ...open }, { x: [null] }],
  ["another type", string, 1],
  ["a list for an object", item, []],
  ["an object for a list", { type: "array", items: string }, {}],
  ["an unknown field", item, { other: "x" }],
  ["an item of another type", { type: "array", items: string }, ["x", 1]],
  ["a set with a value twice", { type: "array", items: string, "x-kubernetes-list-type": "set" }, ["x", "x"]],
  ["a map list with a name twice", map(["name"]), [{ name: "x" }, { name: "x", port: 1 }]],
  ["a map list without a key, which may have a default", map(["name", "port"]), [{ name: "x" }]],
  ["a map list without keys", map([]), [{ name: "x" }]],
  ["a value of an unknown type", { type: "date" }, "x"],
  ["a field without a type", {}, "x"],
  [
    "a set of maps",
    { type: "array", items: { ...item, "x-kubernetes-map-type": "atomic" }, "x-kubernetes-list-type": "set" },
    [{ name: "x" }],
  ],
  ["a text for an integer that may be one", { type: "integer", "x-kubernetes-int-or-string": true }, "80%"],
  ["another type in a listed field of what has no type", { ...open, properties: { a: string } }, { a: 1 }],
  ["a value in a map of anything", { type: "object", additionalProperties: true }, { x: { y: 1 } }],
])("%s doesn't fit", (_what, field, value) => {
  expect(fits(field, value)).toBe(false);
});

test("a field beside the schema's doesn't fit", () => {
  expect(fitsSchema(exactJson({ kind: "Widget", b: 1 }), exactJson({ type: "object", properties: { a: string } }))).toBe(false);
});

// Comparing texts (item-identity.ts, itemIdentity) printed all that is below, at each level: half a minute.
test("300 levels of nested lists of type map, named by what they hold, hold nobody up", async () => {
  let schema: object = { type: "array", items: { type: "integer" } };
  let list: unknown = Array.from({ length: 100_000 }, () => 0);
  for (let level = 0; level < 300; level += 1) {
    const items = { type: "object", properties: { k: schema } };
    schema = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items };
    list = [{ k: list }];
  }
  const [object, of] = [exactJson({ l: list }), exactJson({ type: "object", properties: { l: schema } })];
  const { longest, result } = await whileWatched(async () => fitsSchema(object, of));
  expect(result).toBe(true);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
