import { afterEach, expect, onTestFinished, test } from "vitest";
import { acceptedLossesSchema } from "#lib/contract/rewrite/run.ts";
import { crdIdentity } from "#lib/domain/rewrite/identity.ts";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { hasOurSignature, isOurs, isOwnConsent, signed, signedConsent } from "./evidence-signature.ts";
import { forgetDefinition } from "./per-definition.ts";
import { withdrawEvidence } from "./withdrawn-evidence.ts";

afterEach(() => {
  delete process.env.CRDSHIFT_SESSION_KEYS;
});

const here = { server: "https://here:6443" };
const crd = sampleCrd();
const key = (byte: number) => Buffer.alloc(32, byte).toString("base64");

test.each([
  ["a proof", sampleProof(crd)],
  ["a settle point", sampleSettlePoint(crd)],
  ["a dry run", sampleDryRunRecord(crd)],
])("%s is this installation's once it has signed it, and a changed one is not", (_, part) => {
  expect(hasOurSignature(part)).toBe(false);
  const ours = signed(part);
  expect(hasOurSignature(ours)).toBe(true);
  expect(hasOurSignature({ ...ours, generation: ours.generation + 1 })).toBe(false);
  expect(hasOurSignature({ ...ours, uid: "another" })).toBe(false);
  expect(hasOurSignature({ ...ours, signature: "" })).toBe(false);
});

test("a settle point's resourceVersion, and a dry run's losses and maker can't be changed", () => {
  expect(hasOurSignature({ ...signed(sampleSettlePoint(crd)), resourceVersion: "1" })).toBe(false);
  const losses = [{ kind: "dropped" as const, path: "spec.size", objects: 3, examples: [] }];
  expect(hasOurSignature({ ...signed(sampleDryRunRecord(crd, { losses })), losses: [] })).toBe(false);
  // Whose updates admission saw: another person's may end differently.
  expect(hasOurSignature({ ...signed(sampleDryRunRecord(crd)), startedBy: "mallory" })).toBe(false);
});

// With the sample in contentOfAccepted (evidence-signature.ts) where there is none, an upgrade voids every consent and every proof with one.
test("a consent from before a sample was recorded still holds, and a recorded sample can't be changed", () => {
  process.env.CRDSHIFT_SESSION_KEYS = key(1);
  const losses = [{ kind: "dropped" as const, path: "spec.a", objects: 5 }];
  const earlier = {
    ...{ by: "ada", at: "2026-01-01T00:00:00Z", dryRun: "dry-run-1", losses, more: 0, unseen: false, of: crdIdentity(crd) },
    signature: "k29GuEid87F6yx4hb5B7/Xb3j85rwhYEiWgZ01/YHE8=",
  };
  expect(isOwnConsent(acceptedLossesSchema.parse(earlier))).toBe(true);
  const sampled = signedConsent({ ...acceptedLossesSchema.parse(earlier), sample: { checked: 5, total: 100 } });
  expect(isOwnConsent(sampled)).toBe(true);
  const proof = signed(sampleProof(crd, { acceptedLosses: sampled }));
  for (const sample of [null, { checked: 5, total: 5 }, { checked: 100, total: 100 }]) {
    expect(isOwnConsent({ ...sampled, sample })).toBe(false);
    expect(hasOurSignature({ ...proof, acceptedLosses: { ...sampled, sample } })).toBe(false);
  }
});

test("session keys sign for all processes that have them, also while they are rotated", () => {
  process.env.CRDSHIFT_SESSION_KEYS = key(1);
  const ours = signed(sampleProof(crd));
  process.env.CRDSHIFT_SESSION_KEYS = `${key(2)},${key(1)}`;
  expect(hasOurSignature(ours)).toBe(true);
  process.env.CRDSHIFT_SESSION_KEYS = key(2);
  expect(hasOurSignature(ours)).toBe(false);
});

test("withdrawn evidence stays worthless if it is written back, whatever time it bears", () => {
  onTestFinished(() => forgetDefinition(here, "withdrawn"));
  const ours = signed(sampleProof(crd, { uid: "withdrawn", provenAt: new Date(Date.now() + 10 * 60_000).toISOString() }));
  expect(isOurs(here, ours)).toBe(true);
  withdrawEvidence(here, "withdrawn", { objectAt: "960", foundAt: "1000" });
  expect(isOurs(here, ours)).toBe(false);
  expect(isOurs(here, signed({ ...ours, settleResourceVersion: "1000", verifiedResourceVersion: "1001" }))).toBe(true);
});
