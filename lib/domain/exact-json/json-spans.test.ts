import fc from "fast-check";
import { expect, test } from "vitest";
import { itemsAt, memberAt, rootOf, withoutMember } from "./json-spans.ts";

const key = fc.constantFrom("a", "b", "c", "metadata", "{", ",", "]");
const spaces = fc.constantFrom(0, 2);

test("finds the members of an object as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 3 })), key, spaces, (object, wanted, indent) => {
      const json = JSON.stringify(object, null, indent);
      const span = memberAt(json, rootOf(json), wanted);
      const parsed = JSON.parse(json);
      if (!Object.hasOwn(parsed, wanted)) expect(span).toBeNull();
      else expect(JSON.parse(json.slice(span?.from, span?.to))).toEqual(parsed[wanted]);
      const { [wanted]: _, ...rest } = parsed;
      expect(JSON.parse(withoutMember(json, rootOf(json), wanted))).toEqual(rest);
    }),
  );
});

test("finds the items of a list as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), spaces, (list, indent) => {
      const json = JSON.stringify(list, null, indent);
      expect(itemsAt(json, rootOf(json)).map(({ from, to }) => JSON.parse(json.slice(from, to)))).toEqual(JSON.parse(json));
    }),
  );
});

test("finds nothing in other values", () => {
  for (const json of ["1", '"{}"', "null", "", "{", "["]) {
    expect([memberAt(json, rootOf(json), "a"), itemsAt(json, rootOf(json)), withoutMember(json, rootOf(json), "a")]).toEqual([
      null,
      [],
      json,
    ]);
  }
});
