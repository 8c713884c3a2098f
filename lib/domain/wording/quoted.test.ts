import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { escapedJson, quoted, shownName } from "./quoted.ts";

test("characters that turn the text, steer a terminal, or can't be seen are escaped, and all others stay", () => {
  const invisible = [
    "\u007f",
    "\u0085",
    "\u00ad",
    "\u061c",
    "\u180e",
    "\u200b",
    "\u200d",
    "\u200f",
    "\u2028",
    "\u202e",
    "\u2060",
    "\u2066",
    "\ufeff",
    // Fillers, a joiner of graphemes, a variation selector, an empty Braille cell, and spaces that look like the plain one.
    ...["\u3164", "\u115f", "\u034f", "\ufe0f", "\u2800", "\u00a0", "\u2003"],
    "\u{e0041}",
    "\u{1d173}",
  ];
  for (const character of invisible) {
    expect(quoted(`a${character}b`)).toMatch(/^"a(\\u[0-9a-f]{4})+b"$/);
    expect(JSON.parse(quoted(`a${character}b`))).toBe(`a${character}b`);
  }
  expect(quoted("naïve Ω שלום 日本")).toBe('"naïve Ω שלום 日本"');
});

test("a name is shown as it is unless it has such characters", () => {
  expect(shownName("default/web-0.a_b")).toBe("default/web-0.a_b");
  expect(shownName("\u202ever")).toBe('"\\u202ever"');
  expect(shownName("x\u001b[31m")).toBe('"x\\u001b[31m"');
});

// Without escapes (quoted.ts) each of them was split, formatted and joined: seconds.
test("a text of eight million characters that can't be seen is escaped in no time", async () => {
  const { longest, result } = await whileWatched(async () => {
    const lengths: number[] = [];
    for (const text of Array<string>(8).fill("\u007f".repeat(1_000_000))) lengths.push(escapedJson(text).length);
    return lengths;
  });
  expect(result).toEqual(Array(8).fill(6_000_000));
  expect(longest).toBeLessThan(LONGEST_TURN);
});
