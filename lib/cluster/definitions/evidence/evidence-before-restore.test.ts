import { expect, test } from "vitest";
import { sampleCrd, sampleProof } from "#lib/domain/testing/sample-crd.ts";
import { isUndone, noteUndone, wasSignedSinceRestore } from "./evidence-before-restore.ts";
import { resigned, signed } from "./evidence-signature.ts";

const undone = { to: "950", from: "1400" };

// With one set of signatures (signedSince) a restore of any cluster takes away what the others have proven since theirs.
test("a restore of one cluster leaves what another has proven since its own restore", () => {
  const [here, clone] = [{ server: "https://undone-here:6443" }, { server: "https://undone-clone:6443" }];
  const proof = (provenAt: string) =>
    signed(sampleProof(sampleCrd(), { settleResourceVersion: "1000", verifiedResourceVersion: "1001", provenAt }));
  const before = proof("2026-01-01T00:00:00Z");
  noteUndone(here, undone);
  const since = proof("2026-01-01T00:01:00Z");
  const cut = resigned(since, { ...since, objects: 1 });
  noteUndone(clone, undone);
  expect([before, since, cut].map((part) => isUndone(here, part))).toEqual([true, false, false]);
  expect([before, since, cut].map((part) => isUndone(clone, part))).toEqual([true, true, true]);
  const signatures = [before, since, cut].map(({ signature }) => signature);
  expect(signatures.map((one) => wasSignedSinceRestore(here, one))).toEqual([false, true, true]);
  expect(signatures.map((one) => wasSignedSinceRestore(clone, one))).toEqual([false, false, false]);
});
