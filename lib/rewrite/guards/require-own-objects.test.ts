import { expect, test } from "vitest";
import { haveChanged } from "./require-own-objects.ts";

const seen = { state: "a 1", ageMs: 60_000 };

test("another state, or one that is missing meanwhile, is a change; time that passes isn't", () => {
  expect(haveChanged(seen, { state: "a 1", ageMs: 90_000 })).toBe(false);
  expect(haveChanged(seen, { state: "a 2", ageMs: 90_000 })).toBe(true);
  expect(haveChanged(seen, "missing")).toBe(true);
  expect(haveChanged("missing", seen)).toBe(true);
  expect(haveChanged("missing", "missing")).toBe(false);
});

test("without the right to look, nobody can tell", () => {
  expect(haveChanged("unread", seen)).toBe(false);
  expect(haveChanged(seen, "unread")).toBe(false);
});
