import { expect, onTestFinished, test, vi } from "vitest";
import { parseOnce } from "./parse-once.ts";

test("only the last text is kept, for a second after its last use", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const first = parseOnce('{"a":1}');
  expect(first).toEqual({ a: 1 });
  vi.advanceTimersByTime(900);
  expect(parseOnce('{"a":1}')).toBe(first);
  vi.advanceTimersByTime(900);
  expect(parseOnce('{"a":1}')).toBe(first);
  vi.advanceTimersByTime(1_000);
  const again = parseOnce('{"a":1}');
  expect(again).toEqual(first);
  expect(again).not.toBe(first);
  expect(parseOnce('{"a":2}')).toEqual({ a: 2 });
  expect(parseOnce('{"a":1}')).not.toBe(again);
});

test("what is no JSON is never kept", () => {
  expect(() => parseOnce("{")).toThrow(SyntaxError);
  expect(() => parseOnce("{")).toThrow(SyntaxError);
});
