import { endOfString, itemsAt, memberAt, membersAt, rootOf, type Span } from "#lib/domain/exact-json/json-spans.ts";

/** What a conversion can't change, or what the API server itself sets anew. */
const NOT_TESTED = ["apiVersion", "kind", "metadata"];
/** The API server takes 10,000 operations (apiserver/pkg/endpoints/handlers/patch.go, maxJSONPatchOperations); the write itself has two. */
const MOST_TESTS = 9_900;
/** In bytes, since each test has its path: the API server takes 3 MiB. */
const MOST_SENT = 3_000_000;
/** In characters times levels: the API server reads what is below a level anew for each. So much takes it about five seconds. */
const MOST_READ = 50_000_000;
/** In characters, as often as they are read here: at most a tenth of a second, and no more than for so many levels of a short text. */
const MOST_SCANNED = 10_000_000;
const MOST_SCANNED_LEVELS = 20;

/** A value in the text that holds it. */
interface Value {
  json: string;
  span: Span;
}

/**
 * JSON patch operations, each as text, that test all fields of an object that a conversion may change: its labels, its annotations, and
 * whatever it has beside metadata. Labels and annotations that it lacks are tested, too (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, restoreObjectMeta). Where the
 * given texts of the object differ, nothing is tested. Values stay as the API server wrote them, because it compares strings and numbers by
 * their text. Null if there is too much to test.
 */
export function fieldTests(texts: readonly [string, ...string[]]): string[] | null {
  const roots = texts.map((json) => ({ json, span: rootOf(json) }));
  const metadata = roots.flatMap(({ json, span }) => valueAt(json, memberAt(json, span, "metadata")));
  const fields: [string, Value[]][] = [];
  const absent: string[] = [];
  for (const key of ["labels", "annotations"]) {
    const [path, values] = [`/metadata/${key}`, metadata.flatMap(({ json, span }) => valueAt(json, memberAt(json, span, key)))];
    if (values.length > 0) fields.push([path, values]);
    else absent.push(testOf(path, "null"));
  }
  for (const [key, values] of membersOfAll(roots)) if (!NOT_TESTED.includes(key)) fields.push([`/${inPath(key)}`, values]);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const left = { tests: MOST_TESTS, sent: MOST_SENT, read: MOST_READ, scanned: Math.min(MOST_SCANNED, MOST_SCANNED_LEVELS * length) };
  const tests: Tests = { all: texts.length, operations: absent, left };
  for (const [path, values] of fields) addTests(tests, path, values);
  return isTooMuch(tests) ? null : tests.operations;
}

interface Tests {
  /** The number of texts. */
  all: number;
  operations: string[];
  left: Record<"tests" | "sent" | "read" | "scanned", number>;
}

function isTooMuch({ left }: Tests): boolean {
  return Object.values(left).some((much) => much < 0);
}

/** Adds tests of what is the same in `values`, which are those of the texts that have the field. */
function addTests(tests: Tests, path: string, values: readonly Value[]): void {
  const [first] = values;
  if (!first || values.length < tests.all || isTooMuch(tests)) return;
  const { left } = tests;
  const text = textOf(first);
  for (const { span } of values) left.scanned -= span.to - span.from;
  if (left.scanned < 0) return;
  const { levels, hasNullItem } = shapeOf(first);
  // A test of a list with a null ends the API server's connection (evanphx/json-patch v4, lazyNode.equal).
  if (values.every((value) => textOf(value) === text) && !hasNullItem) {
    left.tests -= 1;
    left.sent -= Buffer.byteLength(path) + Buffer.byteLength(text) + BYTES_BESIDE;
    left.read -= text.length * levels;
    if (!isTooMuch(tests)) tests.operations.push(testOf(path, text));
  } else if (text.startsWith("{")) for (const [key, members] of membersOfAll(values)) addTests(tests, `${path}/${inPath(key)}`, members);
  else if (text.startsWith("[")) for (const [index, items] of itemsOfAll(values).entries()) addTests(tests, `${path}/${index}`, items);
}

function testOf(path: string, value: string): string {
  return `{"op":"test","path":"${path}","value":${value}}`;
}

/** Of each test: its other characters, and the comma. */
const BYTES_BESIDE = testOf("", "").length + 1;

/** By key, as it is written. */
function membersOfAll(objects: readonly Value[]): Map<string, Value[]> {
  const members = new Map<string, Value[]>();
  for (const { json, span } of objects) {
    for (const { key, value } of membersAt(json, span)) {
      const ofKey = members.get(key) ?? [];
      ofKey.push({ json, span: value });
      members.set(key, ofKey);
    }
  }
  return members;
}

/** By index; none if the lists have different lengths, or hold other scalars in some place: those are in another order. */
function itemsOfAll(lists: readonly Value[]): Value[][] {
  const [first = [], ...others] = lists.map(({ json, span }) => itemsAt(json, span).map((item) => ({ json, span: item })));
  if (others.some(({ length }) => length !== first.length)) return [];
  const byIndex = first.map((item, index) => [item, ...others.flatMap((items) => items[index] ?? [])]);
  const isReordered = byIndex.some((items) => {
    const texts = new Set(items.map(textOf));
    return texts.size > 1 && texts.values().some((text) => !/^[[{]/.test(text));
  });
  return isReordered ? [] : byIndex;
}

function valueAt(json: string, span: Span | null): Value[] {
  return span ? [{ json, span }] : [];
}

function textOf({ json, span: { from, to } }: Value): string {
  return json.slice(from, to);
}

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
