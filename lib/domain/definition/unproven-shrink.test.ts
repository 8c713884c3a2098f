import { describe, expect, test } from "vitest";
import { provenCrd, sampleCrd, sampleProof, sampleRecord, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import type { Crd } from "./crd.ts";
import { unprovenShrink } from "./unproven-shrink.ts";

const both = sampleCrd();
const shrunk = sampleCrd({ storedVersions: ["v1"] });
const pruneAt = (prunedAt: string) => ({ versions: ["v1beta1"], prunedAt, by: "alice", runId: "run-1", reason: null });
const prune = (prunedAt: string) => sampleRecord({ prune: pruneAt(prunedAt) });
/** As crdshift leaves it: with the proof that the prune relied on. */
const provenPrune = sampleRecord({ prune: pruneAt("2026-01-02T12:00:00.000Z"), proof: sampleProof(both) });
const claimed = { proof: true, settlePoint: false, dryRun: false };

describe("a version that vanished from storedVersions", () => {
  test.each<{ when: string; before: Crd | null; now: Crd; remembered?: string[]; lost?: string[]; expected: string[] }>([
    {
      when: "while nobody looked is missing once an object is found stored in it",
      before: shrunk,
      now: shrunk,
      lost: ["v1beta1"],
      expected: ["v1beta1"],
    },
    { when: "is no longer missing once it is listed", before: shrunk, now: both, lost: ["v1beta1"], expected: [] },
    { when: "with nothing to prove it is remembered", before: both, now: shrunk, expected: ["v1beta1"] },
    { when: "is remembered from then on", before: shrunk, now: shrunk, remembered: ["v1beta1"], expected: ["v1beta1"] },
    {
      when: "is remembered also when nothing is known but that",
      before: null,
      now: shrunk,
      remembered: ["v1beta1"],
      expected: ["v1beta1"],
    },
    { when: "is forgotten once it is back", before: shrunk, now: both, remembered: ["v1beta1"], expected: [] },
    {
      when: "is forgotten once a proof holds",
      before: shrunk,
      now: provenCrd({ storedVersions: ["v1"] }),
      remembered: ["v1beta1"],
      expected: [],
    },
    { when: "while a proof held is fine", before: provenCrd(), now: shrunk, expected: [] },
    // Without the generation, objects stored at the version between two looks are taken for proven.
    {
      when: "together with a spec change is remembered, whatever was proven before",
      before: provenCrd(),
      now: { ...shrunk, generation: 4 },
      expected: ["v1beta1"],
    },
    { when: "on a proof that came with the same look is fine", before: both, now: provenCrd({ storedVersions: ["v1"] }), expected: [] },
    {
      when: "on a proof that no longer held is remembered",
      before: sampleCrd({ generation: 3, record: sampleRecord({ proof: sampleProof(both) }) }),
      now: sampleCrd({ generation: 3, storedVersions: ["v1"], record: sampleRecord({ proof: sampleProof(both) }) }),
      expected: ["v1beta1"],
    },
    {
      when: "by a prune of crdshift's is fine, also when the spec has changed since",
      before: both,
      now: { ...shrunk, generation: 3, record: provenPrune },
      expected: [],
    },
    // Without truthfulProof (isNewlyPruned) anyone who can write the annotation and the list together is believed.
    {
      when: "by a prune that anyone may have recorded is remembered",
      before: both,
      now: { ...shrunk, record: provenPrune, generation: 3, claims: claimed },
      expected: ["v1beta1"],
    },
    {
      when: "by a recorded prune that names no proof is remembered",
      before: both,
      now: { ...shrunk, record: prune("2026-01-02T12:00:00.000Z") },
      expected: ["v1beta1"],
    },
    // Without the generation (isNewlyPruned) whoever may write the annotation excuses another client's removal by a once true proof.
    {
      when: "by a prune that names a true proof, but of a spec from before the version was listed, is remembered",
      before: { ...both, generation: 4 },
      now: { ...shrunk, generation: 4, record: provenPrune },
      expected: ["v1beta1"],
    },
    // With recordedProof of the definition as it was, a claim excuses what comes after it.
    {
      when: "on a proof that anyone may have written is remembered",
      before: { ...provenCrd(), claims: claimed },
      now: { ...provenCrd({ storedVersions: ["v1"] }), claims: claimed },
      expected: ["v1beta1"],
    },
    {
      when: "again after that prune was undone is remembered",
      before: { ...both, record: prune("2026-01-02T12:00:00.000Z") },
      now: { ...shrunk, record: prune("2026-01-02T12:00:00.000Z") },
      expected: ["v1beta1"],
    },
    { when: "from a definition that was recreated says nothing", before: both, now: { ...shrunk, uid: "another" }, expected: [] },
    {
      when: "and was never in the spec was a mistake, and its removal the repair",
      before: sampleCrd({ storedVersions: ["v9", "v1"] }),
      now: shrunk,
      expected: [],
    },
    {
      when: "and then from the spec is remembered still",
      before: shrunk,
      now: sampleCrd({ generation: 3, versions: [sampleVersion("v1", { storage: true })], storedVersions: ["v1"] }),
      remembered: ["v1beta1"],
      expected: ["v1beta1"],
    },
  ])("$when", ({ before, now, remembered = [], lost = [], expected }) => {
    expect(unprovenShrink(before, now, remembered, lost)).toEqual(expected);
  });
});

// Whoever may write the definition can list as many. With a look at the prune for each version, this took six minutes.
test("thousands of versions that vanish hold nobody up, whatever a prune says", async () => {
  const names = Array.from({ length: 8_000 }, (_, index) => `v${index + 1}`);
  const versions = names.map((name, index) => sampleVersion(name, { storage: index === 0 }));
  const before = sampleCrd({ versions, storedVersions: names });
  const pruning = { ...pruneAt("2026-01-02T12:00:00.000Z"), versions: names.slice(0, 4_000).map((name) => `${name}x`) };
  const left = sampleCrd({ versions, storedVersions: names.slice(0, 4_000), record: sampleRecord({ pruning }) });
  const { longest, result } = await whileWatched(async () => unprovenShrink(before, left, names));
  expect(result).toEqual(names.slice(4_000, 4_100));
  expect(longest).toBeLessThan(LONGEST_TURN);
});
