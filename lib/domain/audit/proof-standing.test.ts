import { describe, expect, test } from "vitest";
import { sampleCrd, sampleProof } from "#lib/domain/testing/sample-crd.ts";
import { proofSentence, proofStanding } from "./proof-standing.ts";

const crd = sampleCrd();
const proof = sampleProof(crd);
const claimed = { ...crd, claims: { proof: true, settlePoint: false, dryRun: false } };
const changed = { generation: 3 };

// Without crd.claims (proof-standing.ts) whoever may patch a definition has pages, reports, and the terminal say that it is proven.
describe("what a recorded proof is worth", () => {
  test.each([
    ["signed", crd, { standing: "valid", invalidBecause: null }, /^1,500 objects proven to be stored as v1\.$/],
    [
      "signed, and void",
      { ...crd, ...changed },
      { standing: "void", invalidBecause: expect.stringContaining("generation 2 became 3") },
      /^The proof no longer holds: .*generation 2 became 3.*\.$/,
    ],
    [
      "not signed",
      claimed,
      { standing: "claimed", invalidBecause: null },
      /^The proof of 1,500 objects .* is claimed, not signed by this installation: a rewrite verifies it, and so does a prune of up to 1,000 objects\.$/,
    ],
    [
      "not signed, and wrong",
      { ...claimed, ...changed },
      { standing: "claimed", invalidBecause: expect.stringContaining("generation 2 became 3") },
      /^The proof of .* is claimed, not signed by this installation, and it doesn't hold: .*generation 2 became 3.*\.$/,
    ],
  ])("%s", (_, now, standing, sentence) => {
    expect(proofStanding(now, proof)).toEqual(standing);
    expect(proofSentence({ ...proof, ...proofStanding(now, proof) })).toMatch(sentence);
  });
});
