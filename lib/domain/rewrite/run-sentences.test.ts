import { expect, test } from "vitest";
import { verificationWords } from "./run-sentences.ts";

test.each([
  ["settle-point", "every object is above the settle point, or a second patch doesn't change it"],
  ["every-object", "a second patch doesn't change any object"],
] as const)("a verification by %s says what was patched again", (verify, words) => expect(verificationWords(verify)).toBe(words));
