import { expect, test } from "vitest";
import { logLine } from "./log-problem.ts";

// The cluster's words may have any: U+009B begins a terminal's command, as ESC [ does.
test.each(["\u009b31m", "\u001b[31m", "\u007f", "\u202edenied", "\u2028", "\u061c"])("a log line has %j only as an escape", (text) => {
  const line = logLine({ detail: `a${text}` });
  expect(line).toMatch(/^[ -~]+$/);
  expect(JSON.parse(line)).toEqual({ detail: `a${text}` });
});

test("a log line keeps what people write", () => {
  expect(logLine({ detail: "é 日本" })).toBe('{"detail":"é 日本"}');
});
