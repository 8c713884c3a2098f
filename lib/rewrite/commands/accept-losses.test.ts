import { expect, test } from "vitest";
import { sampleCrd, sampleDryRunRecord, sampleRecord } from "#lib/domain/definition/sample-crd.ts";
import { acceptLosses, acceptsLostOwnership, heldBack, refuseOtherDryRun, refuseUnacceptedLosses, stillAccepted } from "./accept-losses.ts";

const dropped = { kind: "dropped" as const, path: "spec.a", objects: 2, examples: [] };
const owned = { kind: "managed-fields" as const, path: 'metadata.managedFields[manager="x"]', objects: 2, examples: [] };
const record = (changes: Parameters<typeof sampleDryRunRecord>[1]) => sampleDryRunRecord(sampleCrd(), changes);
const withDryRun = (changes: Parameters<typeof sampleDryRunRecord>[1]) => sampleCrd({ record: sampleRecord({ dryRun: record(changes) }) });
const run = (changes: { keep?: boolean; accepted?: boolean } = {}) => ({
  ownership: { keep: changes.keep ?? false, kept: 0, lost: 0 },
  acceptedLosses: changes.accepted ? acceptLosses(sampleCrd(), "ada", false) : null,
});

test("a rewrite is not held back if the dry run found no losses or they are accepted", () => {
  expect(heldBack(record({}), run())).toBeNull();
  expect(heldBack(record({ losses: [dropped] }), run({ accepted: true }))).toBeNull();
  expect(heldBack(record({ losses: [owned] }), run({ keep: true }))).toBeNull();
});

test("both known and unknown losses hold a rewrite back", () => {
  expect(heldBack(record({ losses: [dropped, owned] }), run({ keep: true }))).toMatchObject({ losses: [dropped] });
  expect(heldBack(record({ losses: [owned] }), run())?.nextStep).toContain("Keep ownership");
  const unknown = record({ lossesKnown: false, lossesUnknownBecause: "v1beta1 is not served." });
  expect(heldBack(unknown, run())?.message).toContain("v1beta1 is not served.");
  expect(() => refuseUnacceptedLosses(unknown, run())).toThrow(expect.objectContaining({ code: "precondition_failed" }));
});

test("an acceptance records whether the losses were seen", () => {
  expect(acceptLosses(sampleCrd(), "ada", false)).toMatchObject({ by: "ada", losses: [], unseen: true });
  expect(acceptLosses(withDryRun({ losses: [dropped, owned] }), "ada", true)).toMatchObject({
    losses: [{ kind: "dropped", path: "spec.a", objects: 2 }],
    unseen: false,
  });
});

test("an acceptance covers the dry run that was seen, not a newer one", () => {
  expect(() => refuseOtherDryRun(record({ id: "seen" }), "seen")).not.toThrow();
  const newer = record({ id: "newer", losses: [dropped] });
  expect(() => refuseOtherDryRun(newer, "seen")).toThrow(expect.objectContaining({ details: { losses: [dropped], dryRun: "newer" } }));
  expect(() => refuseOtherDryRun(null, "seen")).toThrow(expect.objectContaining({ code: "precondition_failed" }));
});

test("an acceptance covers the definition as it was, not another schema", () => {
  const accepted = acceptLosses(sampleCrd(), "ada", false);
  expect(stillAccepted(accepted, sampleCrd({ resourceVersion: "2000" }))).toBe(accepted);
  expect(stillAccepted(accepted, sampleCrd({ generation: 3 }))).toBeNull();
  expect(stillAccepted({ ...accepted, of: null }, sampleCrd())).toBeNull();
  expect(stillAccepted(null, sampleCrd())).toBeNull();
});

test("an acceptance covers the ownership of the managers that it names", () => {
  const managed = (...managers: string[]) => managers.map((manager) => ({ manager, operation: "Apply" }));
  const accepted = acceptLosses(withDryRun({ losses: [owned] }), "ada", false);
  expect(acceptsLostOwnership(accepted, managed("x", "x"))).toBe(true);
  expect(acceptsLostOwnership(accepted, managed("x", "y"))).toBe(false);
  expect(acceptsLostOwnership(acceptLosses(withDryRun({ losses: [dropped] }), "ada", false), managed("x"))).toBe(false);
  expect(acceptsLostOwnership(null, managed("x"))).toBe(false);
  expect(acceptsLostOwnership(acceptLosses(sampleCrd(), "ada", false), managed("x"))).toBe(true);
  expect(acceptsLostOwnership({ ...accepted, more: 1 }, managed("y"))).toBe(true);
});
