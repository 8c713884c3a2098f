import { afterEach, expect, onTestFinished, test } from "vitest";
import { sampleCrd, sampleDryRunRecord, sampleProof, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { hasOurSignature, isOurs, signed } from "./evidence-signature.ts";
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
