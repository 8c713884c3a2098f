import { expect, test } from "vitest";
import { rejectedAfterwards, rejectedWords } from "./rejected-words.ts";

const counts = { total: 10, rewritten: 4, alreadyCurrent: 3, gone: 1, rejected: 2, remaining: 0 };

test.each([
  [counts, 0, "2 objects could not be rewritten"],
  [{ ...counts, rewritten: 5 }, 1, "2 objects could not be rewritten, or not be verified after that"],
  [{ ...counts, rewritten: 6 }, 2, "2 objects could not be verified after they were rewritten"],
  [{ ...counts, rewritten: 6, rejected: 1 }, 1, "1 object could not be verified after it was rewritten"],
  // A list that began again.
  [{ ...counts, remaining: 5 }, 0, "2 objects could not be rewritten"],
])("says of rejected objects whether the run had stored them: %j", (given, afterwards, words) => {
  expect(rejectedAfterwards(given)).toBe(afterwards);
  expect(rejectedWords(given)).toBe(words);
});
