import { afterEach, expect, test } from "vitest";
import { sampleCrd, sampleProof, sampleSettlePoint } from "#lib/domain/definition/sample-crd.ts";
import { isOurs, signed } from "./evidence-signature.ts";
import { forgetWithdrawn, withdrawEvidence } from "./withdrawn-evidence.ts";

const UID = "withdrawn";
afterEach(() => forgetWithdrawn(UID));

const crd = sampleCrd();
const proof = (settleResourceVersion: string, verifiedResourceVersion: string) =>
  signed(sampleProof(crd, { uid: UID, settleResourceVersion, verifiedResourceVersion }));
const settlePoint = (resourceVersion: string) => signed(sampleSettlePoint(crd, { uid: UID, resourceVersion }));

test("a find above the settle point withdraws what was taken and verified below it, and nothing later", () => {
  withdrawEvidence(UID, { objectAt: "960", foundAt: "1000" });
  expect([settlePoint("900"), settlePoint("1001")].map(isOurs)).toEqual([false, true]);
  expect([proof("900", "950"), proof("900", "1001"), proof("1001", "1002")].map(isOurs)).toEqual([false, false, true]);
});

test("a find below the settle point withdraws the proof alone", () => {
  withdrawEvidence(UID, { objectAt: "700", foundAt: "1000" });
  expect(isOurs(settlePoint("900"))).toBe(true);
  expect([proof("900", "950"), proof("900", "1000")].map(isOurs)).toEqual([false, true]);
});

test("an earlier find takes nothing back, and another definition's evidence stays", () => {
  withdrawEvidence(UID, { objectAt: "960", foundAt: "1000" });
  withdrawEvidence(UID, { objectAt: "95", foundAt: "99" });
  expect(isOurs(proof("900", "950"))).toBe(false);
  expect(isOurs(signed(sampleProof(crd)))).toBe(true);
});

test("a deleted definition's finds are forgotten", () => {
  withdrawEvidence(UID, { objectAt: "960", foundAt: "1000" });
  forgetWithdrawn(UID);
  expect(isOurs(proof("900", "950"))).toBe(true);
});
