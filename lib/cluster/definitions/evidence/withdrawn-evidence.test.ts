import { afterEach, expect, test } from "vitest";
import type { Proof, SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { sampleCrd, sampleProof, sampleSettlePoint } from "#lib/domain/testing/sample-crd.ts";
import { isOurs, signed } from "./evidence-signature.ts";
import { forgetDefinition } from "./per-definition.ts";
import { withdrawEvidence } from "./withdrawn-evidence.ts";

const UID = "withdrawn";
const here = { server: "https://here:6443" };
const believed = (part: Proof | SettlePoint) => isOurs(here, part);
afterEach(() => forgetDefinition(here, UID));

const crd = sampleCrd();
const proof = (settleResourceVersion: string, verifiedResourceVersion: string) =>
  signed(sampleProof(crd, { uid: UID, settleResourceVersion, verifiedResourceVersion }));
const settlePoint = (resourceVersion: string) => signed(sampleSettlePoint(crd, { uid: UID, resourceVersion }));

test("a finding above the settle point withdraws what was taken and verified below it, and nothing later", () => {
  withdrawEvidence(here, UID, { objectAt: "960", foundAt: "1000" });
  expect([settlePoint("900"), settlePoint("1001")].map(believed)).toEqual([false, true]);
  expect([proof("900", "950"), proof("900", "1001"), proof("1001", "1002")].map(believed)).toEqual([false, false, true]);
});

test("a finding below the settle point withdraws the proof alone", () => {
  withdrawEvidence(here, UID, { objectAt: "700", foundAt: "1000" });
  expect(believed(settlePoint("900"))).toBe(true);
  expect([proof("900", "950"), proof("900", "1000")].map(believed)).toEqual([false, true]);
});

test("an earlier finding takes nothing back, and another definition's evidence stays", () => {
  withdrawEvidence(here, UID, { objectAt: "960", foundAt: "1000" });
  withdrawEvidence(here, UID, { objectAt: "95", foundAt: "99" });
  expect(believed(proof("900", "950"))).toBe(false);
  expect(believed(signed(sampleProof(crd)))).toBe(true);
});

test("a deleted definition's findings are forgotten", () => {
  withdrawEvidence(here, UID, { objectAt: "960", foundAt: "1000" });
  forgetDefinition(here, UID);
  expect(believed(proof("900", "950"))).toBe(true);
});

// With the uid alone as the key, what one cluster's objects disprove is disproved in its clone, and the clone's deletion forgets it.
test("a clone's evidence, signed with the same key and of the same uid, stays, and so do the findings once the clone's definition is deleted", () => {
  const clone = { server: "https://clone:6443" };
  withdrawEvidence(here, UID, { objectAt: "960", foundAt: "1000" });
  expect(isOurs(clone, proof("900", "950"))).toBe(true);
  forgetDefinition(clone, UID);
  expect(isOurs(here, proof("900", "950"))).toBe(false);
});
