import { expect, test } from "vitest";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { sampleCrd, sampleDryRunRecord } from "#lib/domain/testing/sample-crd.ts";
import { lossSentence, lossVerdict } from "./loss-verdict.ts";

const loss = (kind: Loss["kind"], path: string): Loss => ({ kind, path, objects: 4, examples: [] });
const verdict = (changes: Parameters<typeof sampleDryRunRecord>[1]) => lossVerdict(sampleDryRunRecord(sampleCrd(), changes));

test("counts the losses of each kind", () => {
  const losses = [loss("dropped", "spec.a"), loss("dropped", "spec.b"), loss("changed", "spec.c"), loss("managed-fields", "helm")];
  expect(verdict({ losses })).toEqual({
    kind: "loses",
    words: "2 fields would be dropped, 1 value would change, 1 manager would lose ownership",
  });
});

test("says how many it doesn't list", () => {
  expect(verdict({ losses: [loss("dropped", "spec.a")], moreLosses: 260 }).words).toBe(
    "1 field would be dropped (260 more paths not listed)",
  );
});

test("an added default or a value written otherwise is no loss", () => {
  const losses = [loss("defaulted", "spec.mode"), loss("equivalent", "spec.drain")];
  expect(verdict({ losses })).toEqual({ kind: "keeps", words: "nothing would be lost" });
});

test("losses that were found count even if others are unknown", () => {
  expect(verdict({ losses: [loss("dropped", "spec.a")], lossesKnown: false }).kind).toBe("loses");
});

test.each([
  ["the dry run can't tell", { lossesKnown: false }],
  ["all objects would be rejected", { checked: 5, wouldBeRejected: 5 }],
  ["a sample missed all objects that a rewrite would patch", { checked: 0, alreadyCurrent: 97 }],
])("unknown losses never show as none: %s", (_, changes) => {
  expect(verdict(changes).kind).toBe("unknown");
});

test("nothing to try loses nothing", () => {
  expect(verdict({ total: 0, checked: 0 }).kind).toBe("keeps");
  expect(verdict({ checked: 0, alreadyCurrent: 100 }).kind).toBe("keeps");
});

test("the sentence on those that were tried says nothing of others where all were rejected", () => {
  const sentence = (changes: Parameters<typeof sampleDryRunRecord>[1]) => lossSentence(sampleDryRunRecord(sampleCrd(), changes));
  expect(sentence({ checked: 5, wouldBeRejected: 5 })).toBe("What would be lost is unknown, because no object could be compared.");
  expect(sentence({ checked: 5, wouldBeRejected: 2 })).toBe("The others would lose nothing.");
  expect(sentence({ checked: 5, wouldBeRejected: 0 })).toBe("Those would lose nothing.");
  expect(sentence({ checked: 0, alreadyCurrent: 100 })).toBe("Nothing would be lost.");
  expect(sentence({ checked: 0, alreadyCurrent: 97 })).toBe("What would be lost is unknown.");
  expect(sentence({ losses: [loss("dropped", "spec.a")] })).toBe("");
  expect(sentence({ lossesKnown: false, unknownMayPass: true })).toBe("What would be lost is unknown, for a reason that may have passed.");
});
