import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { endSentence, verificationWords } from "./run-sentences.ts";

test.each([
  ["settle-point", "every object is above the settle point, or a second patch doesn't change it"],
  ["every-object", "a second patch doesn't change any object"],
] as const)("a verification by %s says what was patched again", (verify, words) => expect(verificationWords(verify)).toBe(words));

// The reason of a run's end also says which objects may have lost fields.
test("what holds a run back after it has written is told with the warnings of its end", () => {
  const held = {
    ...sampleRun({ counts: { ...sampleRun().counts, rewritten: 0 } }),
    phase: "unproven" as const,
    heldBackBecause: "A.",
    statusReason: "A. Up to 3 objects may have lost fields.",
  };
  expect(endSentence(held)).toBe("The rewrite was held back. A. Up to 3 objects may have lost fields.");
  const written = { ...held, counts: { ...held.counts, rewritten: 7 } };
  expect(endSentence(written)).toMatch(/^The rewrite was held back before anything more was rewritten\. A\. Up to 3 objects/);
});

test("a run that went silent tells the warnings that its record has", () => {
  const silent = {
    ...sampleRun(),
    phase: "interrupted" as const,
    endedAt: null,
    statusReason: null,
    caveats: ["Up to 3 objects may have lost fields."],
  };
  expect(endSentence(silent)).toMatch(/stopped responding\. Up to 3 objects may have lost fields\.$/);
});

// Without untoldCaveats (run.ts) the end of a reason that was too long for the record is told nowhere.
test.each(["succeeded", "unproven", "cancelled", "interrupted", "failed"] as const)(
  "a run that ended as %s tells each warning once, also those that its reason was too long for",
  (phase) => {
    const [first, second] = ["Up to 3 objects may have lost fields.", "A deletion took long."];
    const ended = { ...sampleRun(), phase, caveats: [first, second], statusReason: `Because. ${first} A deletion…` };
    const words = endSentence(ended);
    expect(words.split(first)).toHaveLength(2);
    expect(words.endsWith(second)).toBe(true);
    const heldBack = { ...ended, phase: "unproven" as const, heldBackBecause: "Because." };
    expect(endSentence(heldBack).endsWith(second)).toBe(true);
  },
);
