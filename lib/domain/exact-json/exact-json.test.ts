import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import {
  EXACT_LEVELS,
  type ExactJson,
  ExactNumber,
  exactProperty,
  exactText,
  isExactObject,
  OBJECT_VALUES,
  parseExactJson,
  parseObject,
  UnreadableJson,
} from "./exact-json.ts";

const number = (text: string) => new ExactNumber(text);

/** JSON text with keys in a random order, some of them odd. */
const key = fc.oneof(fc.string({ maxLength: 5 }), fc.constantFrom("__proto__", "constructor", "toString", "a.b", "0"));
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, true, false),
    fc.string({ maxLength: 6 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));

describe("numbers", () => {
  test.each(["9007199254740993", "-9223372036854775808", "18446744073709551615", "1.0", "1e3", "1E+3", "0.10", "-0"])(
    "%s stays as it was written",
    (text) => {
      expect(parseExactJson(`{"a":[${text}]}`)).toEqual({ a: [number(text)] });
      expect(exactText(parseExactJson(text))).toBe(text);
    },
  );

  test("that JavaScript can't tell apart are two", () => {
    expect(exactText(parseExactJson("9007199254740993"))).not.toBe(exactText(parseExactJson("9007199254740992")));
  });

  test("are no objects, and no object of a cluster is taken for one", () => {
    expect(isExactObject(number("1"))).toBe(false);
    expect(isExactObject(parseExactJson('{"text":"1"}'))).toBe(true);
    expect(exactText(parseExactJson('{"text":"1"}'))).toBe('{"text":"1"}');
  });
});

describe("text", () => {
  test("is equal for equal values whatever the order of their keys, and unequal for others", () => {
    const turned = (json: unknown): unknown => {
      if (Array.isArray(json)) return json.map(turned);
      if (typeof json !== "object" || json === null) return json;
      return Object.fromEntries(
        Object.entries(json)
          .reverse()
          .map(([name, inner]) => [name, turned(inner)]),
      );
    };
    fc.assert(
      fc.property(value, value, (one, other) => {
        const [first, second] = [JSON.stringify(one), JSON.stringify(other)];
        expect(exactText(parseExactJson(JSON.stringify(turned(JSON.parse(first)))))).toBe(exactText(parseExactJson(first)));
        const equal = exactText(parseExactJson(first)) === exactText(parseExactJson(second));
        expect(equal).toBe(exactText(parseExactJson(second)) === exactText(parseExactJson(first)));
        if (equal) expect(JSON.parse(first)).toEqual(JSON.parse(second));
      }),
    );
  });

  test("is JSON of the same value", () => {
    fc.assert(
      fc.property(value, (json) => {
        const text = JSON.stringify(json);
        expect(JSON.parse(exactText(parseExactJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });
});

test("what is no JSON is a SyntaxError", () => {
  const texts = [
    "",
    " ",
    "{",
    "[",
    "01",
    "-",
    "1.",
    ".5",
    "1e",
    "+1",
    "undefined",
    "nul",
    "truex",
    '"',
    '"\\',
    '"\\x"',
    '"\n"',
    "'a'",
    "[1,]",
  ];
  for (const text of [...texts, "[,1]", "[1 2]", "{a:1}", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', "[1}", '{"a":1]', "1 2", "NaN"])
    expect(() => parseExactJson(text), text).toThrow(SyntaxError);
});

describe("nesting", () => {
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const lists = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

  test("is read down to 1,000 levels, and named beyond", () => {
    for (const nested of [objects, lists]) {
      expect(exactText(parseExactJson(nested(EXACT_LEVELS)))).toBe(nested(EXACT_LEVELS));
      for (const levels of [EXACT_LEVELS + 1, 9_000, 1_000_000])
        for (const parse of [parseExactJson, parseObject]) expect(() => parse(nested(levels))).toThrow(new UnreadableJson("NestedTooDeep"));
    }
    expect(new UnreadableJson("NestedTooDeep").message).toContain("nested deeper than 1,000 levels");
  });

  test("is not taken from brackets in strings or beside each other", () => {
    const text = JSON.stringify({
      a: "[".repeat(2_000),
      b: `\\"${"{".repeat(2_000)}`,
      c: "\\",
      d: Array.from({ length: 2_000 }, () => [{}]),
    });
    expect(exactText(parseExactJson(text))).toBe(text);
  });
});

describe("an object", () => {
  const zeros = (count: number) => `[${Array(count).fill("0").join()}]`;
  const keys = (count: number) => `{"list":[],${Array.from({ length: count }, (_, index) => `"k${index}":{}`).join()}}`;

  test("is read up to 250,000 keys and values, itself included, and named beyond", () => {
    for (const [most, more] of [
      [zeros(OBJECT_VALUES - 1), zeros(OBJECT_VALUES)],
      [keys(OBJECT_VALUES / 2 - 2), keys(OBJECT_VALUES / 2 - 1)],
    ] as const) {
      expect(exactText(parseObject(most))).toHaveLength(most.length);
      expect(() => parseObject(more)).toThrow(new UnreadableJson("TooManyValues"));
      expect(() => parseExactJson(more)).not.toThrow();
    }
    expect(new UnreadableJson("TooManyValues").message).toBe("It has more than 250,000 keys and values, so crdshift can't read it.");
  });

  // Without the budget (parsedWithin), 400,000 keys take 500 ms.
  test("of 400,000 keys, which the API server may answer with, holds nobody up", async () => {
    const text = keys(400_000);
    const { longest } = await whileWatched(async () => expect(() => parseObject(text)).toThrow(UnreadableJson));
    expect(longest).toBeLessThan(LONGEST_TURN / 2);
  });
});

test("a property is the value's own: prototypes have none", () => {
  const object = parseExactJson('{"__proto__":{"a":1},"constructor":"mine"}');
  expect(exactProperty(exactProperty(object, "__proto__"), "a")).toEqual(number("1"));
  expect(exactProperty(object, "constructor")).toBe("mine");
  for (const other of [parseExactJson("{}"), parseExactJson("[]"), parseExactJson("1"), null, undefined] as (ExactJson | undefined)[]) {
    for (const name of ["__proto__", "constructor", "toString", "length", "text"]) expect(exactProperty(other, name)).toBeUndefined();
  }
});

test("any text is read as JSON.parse reads it, or refused as there", () => {
  const parsed = (read: (text: string) => unknown, text: string) => {
    try {
      return JSON.stringify(read(text));
    } catch (error) {
      return error instanceof SyntaxError ? "no JSON" : String(error);
    }
  };
  const rounded = (json: ExactJson): unknown => {
    if (json instanceof ExactNumber) return Number(json.text);
    if (Array.isArray(json)) return json.map(rounded);
    return isExactObject(json) ? Object.fromEntries(Object.entries(json).map(([name, inner]) => [name, rounded(inner)])) : json;
  };
  const piece = fc.constantFrom(...'{}[],:"\\ \n\tu0019-.eE+', "true", "null", '"a"', '"__proto__":', "\\u00e9", "😀");
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
    fc.tuple(value, fc.constantFrom(0, 2)).map(([json, spaces]) => JSON.stringify(json, null, spaces)),
  );
  fc.assert(
    fc.property(text, (one) => {
      expect(parsed((json) => rounded(parseExactJson(json)), one)).toBe(parsed(JSON.parse, one));
    }),
    { numRuns: 5_000 },
  );
});

// Without its single join (exact-json.ts), each level copied all the text below it, which took 1.5 s.
test("text of many levels above a long string takes a time that grows with its length", async () => {
  const levels = 990;
  const json = `${'{"a":'.repeat(levels)}"${"x".repeat(1_000_000)}"${',"b":0}'.repeat(levels)}`;
  const value = parseExactJson(json);
  const { longest, result } = await whileWatched(async () => exactText(value));
  expect(result === json).toBe(true);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
