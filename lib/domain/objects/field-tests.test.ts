import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { fieldTests } from "./field-tests.ts";

const metadata = `"metadata":{"annotations":{},"labels":{"a":"\\u003c"},"managedFields":[{}],"name":"one"}`;
const object = (fields: string) => `{"apiVersion":"v1","kind":"Widget",${metadata},${fields}}`;
const ofMetadata = [`/metadata/labels {"a":"\\u003c"}`, "/metadata/annotations {}"];

const ASIDE = "/crdshift: moved aside";
const END = '"crdshift: end of the list"';

/** The tests as a path and a value each. */
function tested(json: string, known: string[] = []): string[] | undefined {
  const tests = fieldTests(json, known)?.filter((operation) => operation.startsWith('{"op":"test"'));
  return tests
    ?.map((test) => test.replace(/^{"op":"test","path":"(.*?)","value":(.*)}$/, "$1 $2"))
    .filter((test) => test !== `${ASIDE} null`);
}

test("tests labels, annotations, and every field but metadata, as they are written", () => {
  expect(fieldTests(object(`"spec":{"a":1.0}`), [])?.at(-1)).toBe(`{"op":"test","path":"/spec","value":{"a":1.0}}`);
  expect(tested(object(`"spec":{"a":1.0},"a~b/c":null,"x\\"y":[1]`))).toEqual([
    ...ofMetadata,
    ...[`/spec {"a":1.0}`, "/a~0b~1c null", `/x\\"y [1]`],
  ]);
});

test("tests that there is nothing where the object has none of what it may have", () => {
  const bare = `{"metadata":{"name":"one"},"spec":{}}`;
  expect(tested(bare)).toEqual(["/metadata/labels null", "/metadata/annotations null", "/spec {}"]);
  expect(tested(bare, ["spec", 'a/b"', "metadata", "kind"])?.slice(2)).toEqual(["/spec {}", '/a~1b\\" null']);
  // As the API server writes it, and as a schema does.
  expect(tested(`{"metadata":{},"r\\u0026d":1}`, ["r&d"])?.slice(2)).toEqual(["/r&d 1"]);
});

// The API server ends the connection of a test of a list that holds one (evanphx/json-patch v4, lazyNode.equal).
test("tests what holds a list with a null piece by piece, and that there is no more of it", () => {
  expect(tested(object(`"spec":{"a":[{"b":null},"null"],"c":[1,null,[null,{}]]},"d":[{"e":{"f":[null]}}]`))).toEqual([
    ...ofMetadata,
    ...[`/spec/c/3 ${END}`, "/spec/c/0 1", "/spec/c/1 null", `/spec/c/2/2 ${END}`, "/spec/c/2/0 null", "/spec/c/2/1 {}"],
    `/spec {"a":[{"b":null},"null"]}`,
    ...[`/d/1 ${END}`, `/d/0/e/f/1 ${END}`, "/d/0/e/f/0 null", "/d/0/e {}", "/d/0 {}"],
  ]);
});

test("puts everything back that it moves aside or adds for a test", () => {
  expect(fieldTests(`{"metadata":{},"spec":{"a":[null],"b":[null],"c":1}}`, [])?.slice(3)).toEqual([
    ...['{"op":"add","path":"/spec/a/-","value":"crdshift: end of the list"}', `{"op":"test","path":"/spec/a/1","value":${END}}`],
    ...['{"op":"remove","path":"/spec/a/1"}', '{"op":"test","path":"/spec/a/0","value":null}'],
    ...['{"op":"add","path":"/spec/b/-","value":"crdshift: end of the list"}', `{"op":"test","path":"/spec/b/1","value":${END}}`],
    ...['{"op":"remove","path":"/spec/b/1"}', '{"op":"test","path":"/spec/b/0","value":null}'],
    `{"op":"add","path":"${ASIDE}","value":[]}`,
    ...[`{"op":"move","from":"/spec/a","path":"${ASIDE}/-"}`, `{"op":"move","from":"/spec/b","path":"${ASIDE}/-"}`],
    '{"op":"test","path":"/spec","value":{"c":1}}',
    ...[`{"op":"move","from":"${ASIDE}/1","path":"/spec/b"}`, `{"op":"move","from":"${ASIDE}/0","path":"/spec/a"}`],
    `{"op":"remove","path":"${ASIDE}"}`,
  ]);
});

test("is null if the API server would refuse so many tests, or take long for so deep ones", () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join();
  expect(tested(object(fields(9_000)))).toHaveLength(9_002);
  expect(fieldTests(object(fields(10_000)), [])).toBeNull();
  const deep = (levels: number, length: number) => `"spec":${"[".repeat(levels)}"${"x".repeat(length)}"${"]".repeat(levels)}`;
  expect(fieldTests(object(deep(20, 1_000_000)), [])).not.toBeNull();
  expect(fieldTests(object(deep(100, 1_000_000)), [])).toBeNull();
  expect(fieldTests(object(deep(9_000, 10_000)), [])).toBeNull();
});

// With a limit of the tests' number alone, 5,000 items of a list below a key of 100,000 characters were 500 MB.
test("is null for more than a request may have, of which each test's path is a part", () => {
  const items = `[null${",1".repeat(5_000)}]`;
  const below = (length: number) => object(`"spec":{"${"k".repeat(length)}":${items}}`);
  expect(tested(below(100))).toHaveLength(5_005);
  expect(fieldTests(below(100_000), [])).toBeNull();
  // In characters they were few enough, and the API server refused the request.
  const small = object(`"spec":{"${"界".repeat(290)}":[null${",1".repeat(9_800)}]}`);
  expect(fieldTests(small, [])).toBeNull();
});

// Without MOST_SCANNED_LEVELS (field-tests.ts) this took a second: each level that holds the list is read anew.
test("a list with a null below many levels holds nobody up", async () => {
  const deep = object(`"spec":${'{"a":'.repeat(900)}[null,${"1".repeat(50_000)}]${"}".repeat(900)}`);
  const { longest, result } = await whileWatched(async () => Array.from({ length: 10 }, () => fieldTests(deep, [])));
  expect(result.every((tests) => tests === null)).toBe(true);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
