import { memberAt, membersAt, rootOf, type Span } from "#lib/domain/exact-json/json-spans.ts";

/** What a conversion can't change, or what the API server itself sets anew. */
const NOT_TESTED = ["apiVersion", "kind", "metadata"];

/**
 * JSON patch operations, each as text, that test all fields of an object that a conversion may change: its labels, its annotations, and
 * whatever it has beside metadata (apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, restoreObjectMeta). Values stay
 * as the API server wrote them, because it compares strings and numbers by their text.
 */
export function fieldTests(json: string): string[] {
  const root = rootOf(json);
  const metadata = memberAt(json, root, "metadata");
  const test = (path: string, { from, to }: Span) => `{"op":"test","path":"${path}","value":${json.slice(from, to)}}`;
  const tests: string[] = [];
  for (const key of ["labels", "annotations"]) {
    const value = memberAt(json, metadata, key);
    if (value) tests.push(test(`/metadata/${key}`, value));
  }
  for (const { key, value } of membersAt(json, root)) {
    if (!NOT_TESTED.includes(key)) tests.push(test(`/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, value));
  }
  return tests;
}
