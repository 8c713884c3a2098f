import { expect, test } from "vitest";
import { parseExactJson } from "./exact-json.ts";
import { shortText } from "./short-text.ts";

test.each(["null", "true", "9007199254740993", "1.0", '"90s"', "[]", "{}", '{"z":[1,{"a":null}],"b":"\\n"}'])(
  "%s that fits stays as it was sent",
  (json) => {
    expect(shortText(parseExactJson(json))).toBe(json);
  },
);

test("what is longer is cut after 200 characters", () => {
  expect(shortText(parseExactJson(JSON.stringify("x".repeat(198))))).toBe(JSON.stringify("x".repeat(198)));
  for (const long of ["x".repeat(199), "x".repeat(2_000_000), { key: "x".repeat(300) }, Array.from({ length: 500 }, () => 1)]) {
    const text = shortText(parseExactJson(JSON.stringify(long)));
    expect(text).toBe(`${JSON.stringify(long).slice(0, 200)}…`);
  }
});

test("a cut leaves no half of a character", () => {
  const text = shortText(parseExactJson(JSON.stringify(`${"x".repeat(198)}😀😀`)));
  expect(text).toBe(`"${"x".repeat(198)}…`);
});

test("characters that steer a terminal or turn the text's direction are escaped", () => {
  const text = shortText(parseExactJson(JSON.stringify({ "a\u202e": "\u2066b\u009b\u001b\u2028" })));
  expect(text).toBe('{"a\\u202e":"\\u2066b\\u009b\\u001b\\u2028"}');
});
