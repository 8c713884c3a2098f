import { expect, test } from "vitest";
import { withheldBecause } from "./protection-prompt.tsx";

const name = "crontabs.example.com";
const reason = "For the upgrade.";

test.each<[reason: string, typed: string | null, words: RegExp | null]>([
  ["  ", name, /Give a reason/],
  [" too few ", name, /too short/],
  ["x".repeat(501), name, /too long/],
  [reason, "", /Type the definition's name/],
  [reason, "crontabs.example.co", /doesn't match/],
  [reason, name, null],
  [reason, null, null],
])("with reason “%s” and name “%s”, it says what is missing", (given, typed, words) => {
  const because = withheldBecause({ reason: given, typed, name });
  if (words) expect(because).toMatch(words);
  else expect(because).toBeNull();
});
