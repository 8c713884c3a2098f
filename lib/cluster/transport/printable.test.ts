import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { oneLine, printable } from "./printable.ts";

test("text keeps its lines, and no control character", () => {
  expect(printable("a\n\u001b[31mb\t\u202ec\u2028d\r")).toBe("a\n^[[31mb  \uFFFDc\uFFFDd^M");
});

test("a line has no line breaks, and one space where they were", () => {
  expect(oneLine("a \r\n \u0085 b\u2028c")).toBe("a b c");
  expect(oneLine("  indented  ")).toBe("  indented  ");
});

// A regular expression looked for a line break from each space anew.
test("a line of spaces holds nobody up", async () => {
  const { longest, result } = await whileWatched(async () => oneLine(`${" ".repeat(200_000)}a`));
  expect(result).toHaveLength(200_001);
  expect(longest).toBeLessThan(LONGEST_TURN);
});
