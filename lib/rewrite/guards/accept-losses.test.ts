import { expect, test } from "vitest";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { parseExactJson } from "#lib/domain/exact-json/exact-json.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { sampleCrd, sampleDryRunRecord, sampleRecord, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import {
  acceptLosses,
  acceptsLostOwnership,
  acceptsNamedOwnership,
  asksAnew,
  heldBack,
  refuseOtherDryRun,
  refuseUnacceptedLosses,
  stillAccepted,
} from "./accept-losses.ts";

const dropped = { kind: "dropped" as const, path: "spec.a", objects: 2, examples: [] };
const owned = { kind: "managed-fields" as const, path: 'metadata.managedFields[manager="x"]', objects: 2, examples: [] };
type DryRunChanges = Parameters<typeof sampleDryRunRecord>[1];
const record = (changes: DryRunChanges) => signed(sampleDryRunRecord(sampleCrd(), changes));
const withDryRun = (changes: DryRunChanges) => sampleCrd({ record: sampleRecord({ dryRun: record(changes) }) });
const unserved = sampleCrd({ versions: [sampleVersion("v1", { storage: true }), sampleVersion("v1beta1", { served: false })] });
const unknown = { lossesKnown: false, lossesUnknownBecause: "One kept changing." };
const listed = { acceptLosses: true };
const unseen = { acceptUnseen: true };
const accept = (crd: Crd, consent = {}, keepOwnership = false) => acceptLosses(crd, "ada", consent, keepOwnership);

/** A run that accepts this of the dry run, and that dry run. */
function given(changes: DryRunChanges, consent = {}, { keep = false, delegation = null as Run["delegation"] } = {}) {
  const crd = withDryRun(changes);
  return {
    dryRun: record(changes),
    run: { ownership: { keep, kept: 0, lost: 0 }, acceptedLosses: accept(crd, consent, keep), delegation },
  };
}
const held = (crd: Crd, { dryRun, run }: ReturnType<typeof given>) => heldBack(crd, dryRun, run);

test("a rewrite is not held back if the dry run found no losses or they are accepted", () => {
  const crd = sampleCrd();
  expect(held(crd, given({}))).toBeNull();
  expect(held(crd, given({ losses: [dropped] }, listed))).toBeNull();
  expect(held(crd, given({ losses: [owned] }, {}, { keep: true }))).toBeNull();
});

test("both known and unknown losses hold a rewrite back", () => {
  const crd = sampleCrd();
  expect(held(crd, given({ losses: [dropped, owned] }, {}, { keep: true }))).toMatchObject({ losses: [dropped] });
  expect(held(crd, given({ losses: [owned] }))?.nextStep).toContain("Keep ownership");
  expect(held(crd, given(unknown))).toMatchObject({
    ...{ message: "crdshift can't tell what would be lost. One kept changing.", losses: [] },
    nextStep: "Start a new dry run, or accept losses unseen. The proof records that.",
  });
  expect(held(crd, given({ ...unknown, losses: [dropped] }))).toMatchObject({
    message: "spec.a would be dropped in 2 objects. crdshift can't tell what else would be lost. One kept changing.",
    nextStep: expect.stringMatching(/accept the loss\. .* unless you also accept losses unseen\.$/),
    losses: [dropped],
  });
});

test("accepting the listed losses leaves unknown ones to the check of each object, where there can be one", () => {
  const some = { ...unknown, losses: [dropped] };
  const migration: Run["delegation"] = {
    ...{ migration: "m", phase: null, message: "", left: null, startedAt: null, endedAt: null, storedVersionsBefore: [], putBack: [] },
  };
  expect(held(sampleCrd(), given(some, listed))).toBeNull();
  expect(held(unserved, given(some, listed))?.message).toMatch(/^crdshift can't tell what else would be lost/);
  expect(held(sampleCrd(), given(some, listed, { delegation: migration }))?.message).toMatch(/^crdshift can't tell what else/);
  // Nothing was listed, so nothing was accepted.
  expect(held(sampleCrd(), given(unknown, listed))).not.toBeNull();
  for (const [changes, consent] of [[some, { ...listed, ...unseen }] as const, [unknown, unseen] as const]) {
    expect(held(unserved, given(changes, consent, { delegation: migration }))).toBeNull();
  }
});

test("only a dry run that may know more by now is made anew, and only if nothing is listed that isn't accepted", () => {
  const temporary = { ...unknown, unknownMayPass: true };
  const anew = ({ dryRun, run }: ReturnType<typeof given>) => asksAnew(sampleCrd(), dryRun, run);
  expect(anew(given(temporary))).toBe(true);
  expect(anew(given(unknown))).toBe(false);
  expect(anew(given(temporary, unseen))).toBe(false);
  expect(anew(given({ ...temporary, losses: [dropped] }))).toBe(false);
  // Each object is checked then.
  expect(anew(given({ ...temporary, losses: [dropped] }, listed))).toBe(false);
  const { dryRun, run } = given(temporary);
  expect(() => refuseUnacceptedLosses(sampleCrd(), dryRun, run)).not.toThrow();
});

test("a refusal tells a client the listed losses and why others are unknown", () => {
  const { dryRun, run } = given({ ...unknown, losses: [dropped], id: "tried" });
  expect(() => refuseUnacceptedLosses(sampleCrd(), dryRun, run)).toThrow(
    expect.objectContaining({
      ...{
        code: "precondition_failed",
        details: { losses: [dropped], moreLosses: 0, sample: null, dryRun: "tried", unknownBecause: "One kept changing." },
      },
    }),
  );
});

// Without moreLosses (accept-losses.ts) a resume is refused for what it doesn't name, or takes a consent to it.
test("a refusal tells how many losses of a newer dry run there was no room to record", () => {
  const { dryRun, run } = given({ losses: [dropped, { ...dropped, path: "spec.b" }], moreLosses: 260, id: "newer" });
  const accepted = accept(withDryRun({ losses: [dropped], id: "older" }), listed);
  const refusal = (acceptedLosses: Run["acceptedLosses"]) =>
    expect.objectContaining({
      message: expect.stringMatching(
        acceptedLosses === null ? /spec\.a .* 1 other path .*\(260 more paths not listed\)/ : /spec\.b .*\(260 more paths not listed\)/,
      ),
      details: expect.objectContaining({ moreLosses: 260 }),
    });
  for (const acceptedLosses of [null, accepted]) {
    expect(() => refuseUnacceptedLosses(sampleCrd(), dryRun, { ...run, acceptedLosses })).toThrow(refusal(acceptedLosses));
  }
});

// Without sampleOf (accept-losses.ts) a refusal and a consent count the losses of a sample as those of all objects.
test("a refusal and a consent tell what a dry run checked, if it left out objects", () => {
  const sampled = { total: 100, checked: 5, losses: [dropped] };
  const { dryRun, run } = given(sampled);
  expect(() => refuseUnacceptedLosses(sampleCrd(), dryRun, run)).toThrow(
    expect.objectContaining({
      message: "The rewrite is held back: spec.a would be dropped in at least 2 objects (5 of 100 checked).",
      details: expect.objectContaining({ sample: { checked: 5, total: 100 } }),
    }),
  );
  expect(accept(withDryRun(sampled), listed)).toMatchObject({ sample: { checked: 5, total: 100 } });
  expect(accept(withDryRun({ ...sampled, alreadyCurrent: 95 }), listed)).toMatchObject({ sample: null });
  // Nothing is counted in it.
  expect(accept(withDryRun({ ...sampled, ...unknown, losses: [] }), unseen)).toMatchObject({ sample: null });
});

// Without nothingListed (accept-losses.ts) whoever accepts a list of losses, of a definition that has changed since, accepts any loss.
test("losses of a list can't be accepted without a list", () => {
  const refusal = {
    code: "precondition_failed",
    details: { losses: [], moreLosses: 0, sample: null, dryRun: null, unknownBecause: expect.any(String) },
  };
  for (const crd of [sampleCrd(), sampleCrd({ ...withDryRun({ losses: [dropped] }), generation: 3 })]) {
    expect(() => accept(crd, listed)).toThrow(expect.objectContaining(refusal));
    expect(accept(crd, { ...listed, ...unseen })).toMatchObject({ by: "ada", dryRun: null, losses: [], unseen: true });
  }
});

test("an acceptance is one of what the dry run lists, and of unseen losses only by its own word", () => {
  const paths = [{ kind: "dropped", path: "spec.a", objects: 2 }];
  expect(accept(sampleCrd())).toBeNull();
  expect(accept(sampleCrd(), unseen)).toMatchObject({ by: "ada", dryRun: null, losses: [], unseen: true });
  expect(accept(withDryRun({ losses: [dropped, owned] }), listed, true)).toMatchObject({ losses: paths, unseen: false });
  const both = withDryRun({ ...unknown, losses: [dropped] });
  expect(accept(both, listed)).toMatchObject({ losses: paths, unseen: false });
  expect(accept(both, unseen)).toMatchObject({ losses: [], unseen: false });
  expect(accept(both, { ...listed, ...unseen })).toMatchObject({ losses: paths, unseen: true });
  expect(accept(withDryRun(unknown), listed)).toMatchObject({ losses: [], unseen: false });
  expect(accept(withDryRun(unknown), unseen)).toMatchObject({ losses: [], unseen: true });
  const forged = sampleCrd({ record: sampleRecord({ dryRun: { ...record({ ...unknown, moreLosses: 3 }), signature: null } }) });
  expect(accept(forged, { ...listed, ...unseen })).toMatchObject({ losses: [], more: 0, unseen: false });
});

test("an acceptance covers the dry run that was seen, not a newer one", () => {
  expect(() => refuseOtherDryRun(record({ id: "seen" }), "seen")).not.toThrow();
  const newer = record({ id: "newer", losses: [dropped] });
  const details = { losses: [dropped], moreLosses: 0, sample: null, dryRun: "newer", unknownBecause: null };
  expect(() => refuseOtherDryRun(newer, "seen")).toThrow(expect.objectContaining({ details }));
  expect(() => refuseOtherDryRun(null, "seen")).toThrow(expect.objectContaining({ code: "precondition_failed" }));
});

test("an acceptance covers the definition as it was, not another schema", () => {
  const accepted = given({}, listed).run.acceptedLosses;
  expect(stillAccepted(accepted, sampleCrd({ resourceVersion: "2000" }))).toBe(accepted);
  expect(stillAccepted(accepted, sampleCrd({ generation: 3 }))).toBeNull();
  expect(stillAccepted(accepted && { ...accepted, of: null }, sampleCrd())).toBeNull();
  expect(stillAccepted(null, sampleCrd())).toBeNull();
});

test("an acceptance covers the ownership of the managers that it names", () => {
  const managed = (...managers: string[]) => managers.map((manager) => ({ manager, operation: "Apply" }));
  const accepted = accept(withDryRun({ losses: [owned] }), listed);
  expect(acceptsLostOwnership(accepted, managed("x", "x"))).toBe(true);
  expect(acceptsLostOwnership(accepted, managed("x", "y"))).toBe(false);
  expect(acceptsLostOwnership(accept(withDryRun({ losses: [dropped] }), listed), managed("x"))).toBe(false);
  expect(acceptsLostOwnership(null, managed("x"))).toBe(false);
  expect(acceptsLostOwnership(accept(sampleCrd(), unseen), managed("x"))).toBe(true);
  expect(acceptsLostOwnership(accepted && { ...accepted, more: 1 }, managed("y"))).toBe(true);
});

// With `more` for any path that is left out, the loss of one manager covers all managers once harmless paths fill the record.
test("the accepted loss of one manager covers another one only if losses of managers may be among those left out", () => {
  const entry = parseExactJson('[{"manager":"argocd","operation":"Apply","apiVersion":"g/v1beta1"}]');
  const defaulted = (path: string) => ({ ...dropped, kind: "defaulted" as const, path });
  const harmless = accept(withDryRun({ losses: [owned, defaulted("spec.b"), defaulted("spec.c")], moreLosses: 6 }), listed);
  const more = accept(withDryRun({ losses: [owned, { ...owned, path: 'metadata.managedFields[manager="y"]' }], moreLosses: 6 }), listed);
  const entries = Array.isArray(entry) ? entry : [];
  expect([harmless, more].map((accepted) => acceptsLostOwnership(accepted, entries))).toEqual([false, true]);
  expect([harmless, more].map((accepted) => acceptsNamedOwnership(accepted, entries))).toEqual([false, false]);
});

test("a consent that this installation didn't take, or that was changed since, no longer applies", () => {
  const crd = withDryRun({ losses: [dropped] });
  const accepted = accept(crd, listed);
  expect(stillAccepted(accepted, crd)).toEqual(accepted);
  for (const forged of [
    { unseen: true },
    { losses: [] },
    { sample: { checked: 1, total: 2 } },
    { signature: null },
    { signature: "AAAA" },
  ]) {
    expect(stillAccepted(accepted && { ...accepted, ...forged }, crd), JSON.stringify(forged)).toBeNull();
  }
});
