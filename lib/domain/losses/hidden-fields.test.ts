import { expect, test } from "vitest";
import { type ExactJson, exactJson } from "#lib/domain/exact-json/exact-json.ts";
import { sampleCrd, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { type HiddenField, hiddenFields, hiddenWords, mayHideFields } from "./hidden-fields.ts";

const crd = sampleCrd({
  versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1"), sampleVersion("v0", { served: false })],
});
const keeps = { "x-kubernetes-preserve-unknown-fields": true };
const fields = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
const list = (items: object) => ({ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items });
const schema = (x: object | null) => exactJson(fields({ spec: fields({ size: { type: "integer" }, ...(x && { x }) }) }));
const empty = schema(null);
const item = { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:old": {} } };

const entry = (owned: object, version = "v1", group = crd.group) => ({
  ...{ manager: "owner", operation: "Update", apiVersion: `${group}/${version}` },
  fieldsV1: { "f:metadata": { "f:labels": {} }, "f:spec": { ".": {}, "f:size": {}, "f:x": owned } },
});
const object = (managedFields: object[], spec: object = { size: 1 }) => exactJson({ metadata: { managedFields }, spec });
const hidden = (of: ExactJson, v1: ExactJson | undefined, v1beta1 = v1, v0 = v1) =>
  hiddenFields([of], crd, (version) => ({ v1, v1beta1, v0 })[version])?.map(({ path }) => path);

test.each<[string, object, object | null, string[]]>([
  ["a field that no schema has", {}, null, ["spec.x"]],
  ["a field with parts, told as one", { "f:a": {}, "f:b": {} }, null, ["spec.x"]],
  ["a field that a schema has", {}, { type: "string" }, []],
  ["a number or text", {}, { "x-kubernetes-int-or-string": true }, []],
  ["a part that is gone", { ".": {}, "f:a": {}, "f:b": {} }, fields({ a: {} }), ["spec.x.b"]],
  ["any part of what keeps unknown fields", { "f:a": { "f:b": {}, ...item } }, fields({}, keeps), []],
  ["a part of a known part there", { "f:a": { "f:b": {} } }, fields({ a: fields({}) }, keeps), ["spec.x.a.b"]],
  ["any key of a map", { "f:a": {} }, { type: "object", additionalProperties: { type: "string" } }, []],
  ["a part of a map's value", { "f:k": { "f:a": {} } }, { type: "object", additionalProperties: fields({}) }, ["spec.x.k.a"]],
  ["a value in a map of anything", { "f:k": {} }, { type: "object", additionalProperties: true }, []],
  ["a part of a value in a map of anything", { "f:k": { "f:a": {} } }, { type: "object", additionalProperties: true }, ["spec.x.k.a"]],
  ["a part of a list's item", item, list(fields({ name: {} })), ["spec.x[*].old"]],
  ["an item of a set", { 'v:"a"': {} }, { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, []],
  [
    "what every embedded object has",
    { "f:kind": {}, "f:apiVersion": {}, "f:metadata": { "f:name": {} }, "f:spec": {} },
    fields({}, { "x-kubernetes-embedded-resource": true }),
    ["spec.x.spec"],
  ],
])("%s", (_, owned, x, paths) => {
  expect(hidden(object([entry(owned)]), schema(x))).toEqual(paths);
});

test("a field is hidden only if no served version shows it, and the object doesn't either", () => {
  const x = schema({ type: "string" });
  expect(hidden(object([entry({}, "v1beta1")]), empty, x)).toEqual([]);
  expect(hidden(object([entry({}, "v0")]), empty, empty, x)).toEqual(["spec.x"]);
  expect(hidden(object([entry({})], { size: 1, x: "here" }), empty)).toEqual([]);
  expect(hidden(object([entry({}), entry({}, "v1beta1")]), empty)).toEqual(["spec.x"]);
});

test("nothing is told from a version that the definition doesn't have, without managedFields, or if a version prunes nothing", () => {
  expect(hidden(object([entry({}, "gone"), entry({}, "v1", "apps")]), empty)).toEqual([]);
  expect(hidden(exactJson({ metadata: {}, spec: {} }), empty)).toEqual([]);
  expect(hiddenFields([object([entry({})])], crd, (version) => (version === "v1" ? empty : undefined))).toEqual([]);
});

test("without conversion, a field of the storage version is hidden by each version that lacks it and may be stored", () => {
  const x = schema({ type: "string" });
  const schemas = (v0: ExactJson) => (version: string) => (version === "v0" ? v0 : x);
  const found = (spec: object, more: Partial<typeof crd> = {}, v0 = empty) =>
    hiddenFields([object([entry({})], spec)], { ...crd, ...more }, schemas(v0));
  expect(hidden(object([entry({}, "v1beta1")]), x, empty)).toEqual(["spec.x"]);
  expect(found({ size: 1 })).toEqual([{ path: "spec.x", hiddenBy: { kind: "schema", version: "v0" } }]);
  expect(found({ size: 1 }, {}, x)).toEqual([]);
  expect(found({ size: 1, x: "here" })).toEqual([]);
  const conversion = { strategy: "Webhook" as const, target: "service" };
  expect(found({ size: 1 }, { conversion })).toEqual([]);
});

// The API server prunes the whole parent at that version; a default, or a webhook, may show another one at the storage version.
test("a field is hidden, too, below a parent that its version lost and that a read shows all the same", () => {
  const parent = schema(fields({ a: { type: "integer" }, b: { type: "integer" } }));
  const spec = { size: 1, x: { a: 1 } };
  for (const strategy of ["None", "Webhook"] as const) {
    const found = hiddenFields(
      [object([entry({ ".": {}, "f:a": {}, "f:b": {} }, "v1beta1")], spec)],
      { ...crd, conversion: { strategy, target: "service" } },
      (version) => (version === "v1beta1" ? empty : parent),
    );
    expect(found).toEqual([{ path: "spec.x.b", hiddenBy: { kind: "schema", version: "v1beta1" } }]);
  }
});

// Only of the entry's own version is it known that it had the field; a webhook may give it another name at any other.
test("with a webhook, a field that only its own version lost is hidden, unless a read shows it", () => {
  const x = schema({ type: "string" });
  const conversion = { strategy: "Webhook" as const, target: "service" };
  const found = (writtenAt: string, spec: object = { size: 1 }) =>
    hiddenFields([object([entry({}, writtenAt)], spec)], { ...crd, conversion }, (version) => (version === "v1beta1" ? empty : x));
  expect(found("v1beta1")).toEqual([{ path: "spec.x", hiddenBy: { kind: "schema", version: "v1beta1" } }]);
  expect(found("v1beta1", { size: 1, x: "here" })).toEqual([]);
  expect(found("v1")).toEqual([]);
});

test("without conversion, a field that its own version and the storage version lost is hidden, unless a read shows it", () => {
  const x = schema({ type: "string" });
  const found = (writtenAt: string, ...others: ExactJson[]) => {
    const shown = object([entry({}, writtenAt)]);
    return hiddenFields([shown, ...others], crd, (version) => (version === "v1" ? empty : x));
  };
  expect(found("v1")).toEqual([{ path: "spec.x", hiddenBy: { kind: "schema", version: "v1" } }]);
  expect(found("v1", object([], { size: 1, x: "here" }))).toEqual([]);
  expect(found("v1beta1")).toEqual([]);
});

// Without visitMetadata (hidden-fields.ts) nothing is told of them: the flag hides them from all reads, and the next write deletes them.
test.each<[string, object, object | undefined, string[]]>([
  ["a key that ObjectMeta doesn't have", { "f:name": {}, "f:custom": {} }, { name: "p" }, ["spec.x.metadata.custom"]],
  ["malformed labels", { "f:labels": { ".": {}, "f:a": {} }, "f:name": {} }, { name: "p" }, ["spec.x.metadata.labels.a"]],
  ["metadata that is no object", {}, undefined, ["spec.x.metadata"]],
  ["valid metadata", { "f:labels": { ".": {}, "f:a": {} }, "f:name": {} }, { name: "p", labels: { a: "1" } }, []],
  ["the null that controllers send", { "f:creationTimestamp": {} }, undefined, []],
])("of an embedded resource, reads hide what is no metadata: %s", (_, owned, metadata, paths) => {
  const x = schema(fields({}, { ...keeps, "x-kubernetes-embedded-resource": true }));
  const shown = { size: 1, x: { kind: "Pod", ...(metadata && { metadata }) } };
  expect(hidden(object([entry({ "f:kind": {}, "f:metadata": owned })], shown), x)).toEqual(paths);
  expect(hidden(object([entry({ "f:kind": {}, "f:metadata": owned })]), x)).toEqual([]);
});

test("the words name the first field, and say that it may be gone already", () => {
  const at = (path: string, version?: string): HiddenField => ({
    path,
    hiddenBy: version ? { kind: "schema", version } : { kind: "every-schema" },
  });
  expect(hiddenWords([at("spec.x")])).toBe(
    "managedFields name spec.x, but no served version's schema has it. The write deletes it from etcd if it is still stored. " +
      "Add it to a schema to see, or accept losses unseen in a rewrite.",
  );
  expect(hiddenWords([at("a"), at("b"), at("c")])).toMatch(
    /^managedFields name a and 2 other fields, .* has them\. .* if they are still stored/,
  );
  expect(hiddenWords([{ path: "spec.x.metadata.custom", hiddenBy: { kind: "embedded" } }])).toMatch(
    /but a schema marks the object around it as an embedded resource.* Take x-kubernetes-embedded-resource out of the schemas to see/,
  );
  expect(hiddenWords([at("spec.x", "v0")])).toMatch(
    /but the schema of v0, at which the object may be stored, hides it\. .* to that schema/,
  );
});

const many = sampleCrd({ versions: Array.from({ length: 100 }, (_, index) => sampleVersion(`v${index + 1}`, { storage: index === 0 })) });
const manyFields = Array.from({ length: 60_000 }, (_, index) => `k${index}`);
const managed = (names: readonly string[]) => ({
  ...{ manager: "owner", operation: "Update", apiVersion: `${many.group}/v1` },
  fieldsV1: { "f:spec": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
});
const ofVersions = (spec: (version: string) => object) => {
  const schemas = new Map(many.versions.map(({ name }) => [name, exactJson(fields({ spec: spec(name) }))]));
  return (version: string) => schemas.get(version);
};

// Without looks.left and alikeVersions (hidden-fields.ts) each key was looked for in the schema of each version, in one turn: four seconds.
test("60,000 managed fields hold nobody up at 100 versions with other schemas, and nobody knows what is hidden", async () => {
  const schemaOf = ofVersions((version) => fields({ [version]: {} }, keeps));
  const shown = object([managed(manyFields)]);
  const { longest, result } = await whileWatched(async () => mayHideFields(shown, many, schemaOf));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect([result, hiddenFields([shown], many, schemaOf)]).toEqual([null, null]);
});

// Without alikeVersions (hidden-fields.ts) nobody would know what is hidden here, either.
test("60,000 managed fields hold nobody up at 100 versions of the same two schemas", async () => {
  const schemaOf = ofVersions((version) => fields({ [version === "v7" ? "a" : "b"]: {} }, version === "v7" ? {} : keeps));
  const shown = object([managed([...manyFields, "b"])], Object.fromEntries([...manyFields, "b"].map((name) => [name, 1])));
  const { longest, result } = await whileWatched(async () => hiddenFields([shown], many, schemaOf));
  expect(result).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(hiddenFields([object([managed(["b", "c"])])], many, schemaOf)).toEqual([
    { path: "spec.b", hiddenBy: { kind: "schema", version: "v7" } },
    { path: "spec.c", hiddenBy: { kind: "schema", version: "v7" } },
  ]);
});
