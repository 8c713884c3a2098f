import { endOfString, itemsAt, memberAt, membersAt, rootOf, type Span } from "#lib/domain/exact-json/json-spans.ts";

/** What a conversion can't change, or what the API server itself sets anew. */
const NOT_TESTED = ["apiVersion", "kind", "metadata"];
/** The API server takes 10,000 operations (apiserver/pkg/endpoints/handlers/patch.go, maxJSONPatchOperations); the write itself has two. */
const MOST_TESTS = 9_900;
/** In bytes, since each test has its path: the API server takes 3 MiB. */
const MOST_SENT = 3_000_000;
/** In characters times levels: the API server reads what is below a level anew for each. So much takes it about five seconds. */
const MOST_READ = 50_000_000;
/** In characters, as often as they are read here: at most a tenth of a second, and for so many levels of a text, or a few milliseconds. */
const MOST_SCANNED = 10_000_000;
const MOST_SCANNED_LEVELS = 20;
const LEAST_SCANNED = 500_000;

/** A value in the text that holds it. */
interface Value {
  json: string;
  span: Span;
}

/**
 * JSON patch operations, each as text, that test all fields of an object that a conversion may change: its labels, its annotations, and
 * whatever it has beside metadata (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, restoreObjectMeta); and that it
 * has none of them, or of the fields `known` to the schema, that the text lacks. Values stay as the API server wrote them, because it
 * compares strings and numbers by their text. Applied, they change nothing. Null if there is too much to test.
 */
export function fieldTests(json: string, known: readonly string[]): string[] | null {
  const root = rootOf(json);
  const metadata = memberAt(json, root, "metadata");
  const fields = new Map<string, Span | null>();
  for (const key of ["labels", "annotations"]) fields.set(`/metadata/${key}`, metadata && memberAt(json, metadata, key));
  for (const name of [...known, ASIDE]) if (!NOT_TESTED.includes(name)) fields.set(`/${inPath(asWritten(name))}`, null);
  // Keys may be written with other escapes than known names.
  for (const { key, value } of membersAt(json, root)) {
    const name: unknown = JSON.parse(`"${key}"`);
    if (typeof name === "string" && !NOT_TESTED.includes(name)) fields.set(`/${inPath(asWritten(name))}`, value);
  }
  const scanned = Math.min(MOST_SCANNED, Math.max(LEAST_SCANNED, MOST_SCANNED_LEVELS * json.length));
  const left = { tests: MOST_TESTS, sent: MOST_SENT, read: MOST_READ, scanned };
  const tests: Tests = { operations: [], left };
  for (const [path, span] of fields) addTests(tests, path, span ? { json, span } : NULL);
  return isTooMuch(tests) ? null : tests.operations;
}

/** As the value of a test, it passes only where there is nothing, or null. */
const NULL: Value = { json: "null", span: rootOf("null") };
/** Where members are while the rest of their object is tested. */
const ASIDE = "crdshift: moved aside";
/** The last item of a list while its length is tested. */
const END = '"crdshift: end of the list"';

interface Tests {
  operations: string[];
  left: Record<"tests" | "sent" | "read" | "scanned", number>;
}

function isTooMuch({ left }: Tests): boolean {
  return Object.values(left).some((much) => much < 0);
}

function addTest(tests: Tests, path: string, text: string, levels: number): void {
  tests.left.read -= text.length * levels;
  add(tests, testOf(path, text));
}

function add({ operations, left }: Tests, operation: string): void {
  left.tests -= 1;
  left.sent -= Buffer.byteLength(operation) + 1;
  operations.push(operation);
}

function addTests(tests: Tests, path: string, value: Value): void {
  if (isTooMuch(tests)) return;
  const { json, span } = value;
  const { left } = tests;
  left.scanned -= span.to - span.from;
  if (left.scanned < 0) return;
  const text = json.slice(span.from, span.to);
  const { levels, hasNullItem } = shapeOf(value);
  // A test of a list with a null ends the API server's connection (evanphx/json-patch v4, lazyNode.equal).
  if (!hasNullItem) addTest(tests, path, text, levels);
  else if (text.startsWith("{")) addTestsOfMembers(tests, path, value);
  else addTestsOfItems(tests, path, value);
}

/** Of an object in which some members hold a list with a null: these one by one, and the rest as a whole while they are moved aside. */
function addTestsOfMembers(tests: Tests, path: string, { json, span }: Value): void {
  const rest: string[] = [];
  const aside: string[] = [];
  let deepest = 0;
  tests.left.scanned -= span.to - span.from;
  for (const { key, value } of membersAt(json, span)) {
    const [at, member] = [`${path}/${inPath(key)}`, { json, span: value }];
    const { levels, hasNullItem } = shapeOf(member);
    if (hasNullItem) {
      addTests(tests, at, member);
      aside.push(at);
    } else {
      rest.push(`"${key}":${json.slice(value.from, value.to)}`);
      deepest = Math.max(deepest, levels);
    }
  }
  add(tests, `{"op":"add","path":"/${ASIDE}","value":[]}`);
  for (const at of aside) add(tests, `{"op":"move","from":"${at}","path":"/${ASIDE}/-"}`);
  addTest(tests, path, `{${rest.join()}}`, deepest + 1);
  for (const [index, at] of [...aside.entries()].reverse()) add(tests, `{"op":"move","from":"/${ASIDE}/${index}","path":"${at}"}`);
  add(tests, `{"op":"remove","path":"/${ASIDE}"}`);
}

/** Of a list in which some items are null, or hold such a list: each item, and that there are no more. */
function addTestsOfItems(tests: Tests, path: string, { json, span }: Value): void {
  const items = itemsAt(json, span);
  add(tests, `{"op":"add","path":"${path}/-","value":${END}}`);
  add(tests, testOf(`${path}/${items.length}`, END));
  add(tests, `{"op":"remove","path":"${path}/${items.length}"}`);
  for (const [index, item] of items.entries()) addTests(tests, `${path}/${index}`, { json, span: item });
}

function testOf(path: string, value: string): string {
  return `{"op":"test","path":"${path}","value":${value}}`;
}

function asWritten(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** Of a key as it is written. */
function inPath(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** How deep a value nests, and whether a list in it has an item that is null. */
function shapeOf({ json, span: { from, to } }: Value): { levels: number; hasNullItem: boolean } {
  const inList: boolean[] = [];
  let [levels, hasNullItem] = [0, false];
  for (let at = from; at < to; at += 1) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === "{" || character === "[") {
      inList.push(character === "[");
      levels = Math.max(levels, inList.length);
    } else if (character === "}" || character === "]") inList.pop();
    else if (character === "n") {
      hasNullItem ||= inList.at(-1) === true;
      at += "ull".length;
    }
  }
  return { levels, hasNullItem };
}
