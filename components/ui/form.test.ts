import { expect, it } from "vitest";
import { parseWholeNumber } from "./form.tsx";

it.each([
  ["", null],
  ["  ", null],
  ["200", 200],
  ["10,000", 10_000],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["many", undefined],
  ["100001", undefined],
])("%j", (text, number) => expect(parseWholeNumber(text, 100_000)).toBe(number));
