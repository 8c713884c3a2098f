import { describe, expect, test } from "vitest";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { provenCrd, sampleCrd, sampleProof, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/testing/sample-crd.ts";
import { prunedStoredVersions, pruneRefusal, relistedStoredVersions, relistRefusal, rewriteRefusal } from "./refusals.ts";

const now = Date.parse("2026-01-02T12:00:10.000Z");

const live = sampleRun({ startedBy: "bob" });
const atWork = { record: sampleRecord({ runs: [live] }) };
const migrating = {
  conditions: [...sampleCrd().conditions, { type: "StorageMigrating", status: "True" as const, reason: "", message: "" }],
};
const unservedStorage = [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true, served: false })];
const deleted = { deletionTimestamp: "2026-01-02T11:00:00Z" };

describe("a rewrite", () => {
  test.each<{ when: string; crd: Crd }>([
    { when: "there are leftover versions", crd: sampleCrd() },
    { when: "there are no leftover versions, because a proof may still be useful", crd: sampleCrd({ storedVersions: ["v1"] }) },
    { when: "the last run ended", crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "unproven" })] }) }) },
    {
      when: "the last run fell silent",
      crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ renewedAt: "2026-01-02T11:00:00Z" })] }) }),
    },
  ])("may start when $when", ({ crd }) => {
    expect(rewriteRefusal(crd, now)).toBeNull();
  });

  test.each<{ when: string; crd: Crd; message: RegExp; nextStep: RegExp }>([
    {
      when: "a run is live",
      crd: sampleCrd(atWork),
      message: /started at 11:59 UTC by bob/,
      nextStep: /Wait for it to finish, or cancel it/,
    },
    { when: "the cluster's own migration is running", crd: sampleCrd(migrating), message: /own StorageVersionMigration/, nextStep: /Wait/ },
    { when: "the definition is being deleted", crd: sampleCrd(deleted), message: /being deleted/, nextStep: /Check its conditions/ },
    {
      when: "no version has storage",
      crd: sampleCrd({ versions: [sampleVersion("v1")] }),
      message: /No version has storage/,
      nextStep: /Mark one/,
    },
    {
      when: "storage is not served",
      crd: sampleCrd({ versions: [sampleVersion("v1beta1"), sampleVersion("v1", { storage: true, served: false })] }),
      message: /v1 is not served; patching through another version would drop/,
      nextStep: /Serve v1/,
    },
    { when: "the definition is not Established", crd: sampleCrd({ conditions: [] }), message: /not Established/, nextStep: /conditions/ },
  ])("is refused when $when, with a next step", ({ crd, message, nextStep }) => {
    expect(rewriteRefusal(crd, now)).toMatchObject({
      message: expect.stringMatching(message),
      nextStep: expect.stringMatching(nextStep),
    });
  });

  test("names the blocking run", () => {
    expect(rewriteRefusal(sampleCrd(atWork), now)?.run).toEqual(live);
  });
});

describe("a prune", () => {
  test("is allowed with a proof that holds, and leaves only the storage version", () => {
    expect(pruneRefusal(provenCrd(), now)).toBeNull();
    expect(prunedStoredVersions(provenCrd())).toEqual(["v1"]);
  });

  const proven = provenCrd();
  test.each<{ when: string; crd: Crd; message: RegExp; nextStep: RegExp }>([
    {
      when: "nothing was proven",
      crd: sampleCrd(),
      message: /^v1beta1 is unproven\.$/,
      nextStep: /Run a rewrite/,
    },
    {
      when: "nothing was proven, and the storage version is not served: no rewrite would run",
      crd: sampleCrd({ versions: unservedStorage }),
      message: /^v1beta1 is unproven\.$/,
      nextStep: /A rewrite can't prove it yet\. .* Serve v1, or make/,
    },
    {
      when: "the proof no longer holds, and the storage version is not served",
      crd: { ...proven, generation: 3, versions: unservedStorage },
      message: /no longer holds/,
      nextStep: /Serve v1, or make/,
    },
    {
      when: "the last rewrite had rejections",
      crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "unproven" })] }) }),
      message: /^v1beta1 is unproven\.$/,
      nextStep: /^Fix what caused the last rewrite's rejections/,
    },
    {
      when: "the last rewrite was held back by losses",
      crd: sampleCrd({ record: sampleRecord({ runs: [sampleRun({ phase: "unproven", heldBackBecause: "Losses." })] }) }),
      message: /^v1beta1 is unproven\.$/,
      nextStep: /^Accept the losses/,
    },
    {
      when: "the annotation is unreadable",
      crd: sampleCrd({ record: "unreadable" }),
      message: /can't read/,
      nextStep: /kubectl annotate .* crdshift\.dev\/rewrite-/,
    },
    {
      when: "the spec changed after the proof",
      crd: { ...proven, generation: 3 },
      message: /no longer holds: its spec changed/,
      // Not "it takes only a moment": under another generation a rewrite skips nothing.
      nextStep: /again\. It patches every object once more/,
    },
    {
      when: "the proof is wrong, though the spec is the same: another settle point skips objects",
      crd: { ...proven, settleSeconds: 1_000 },
      message: /no longer holds: it rests on a settle wait/,
      nextStep: /^Run the rewrite again\.$/,
    },
    { when: "the definition was recreated", crd: { ...proven, uid: "another" }, message: /created again/, nextStep: /again/ },
    {
      when: "the storage version flipped back",
      crd: { ...proven, versions: [sampleVersion("v1beta1", { storage: true }), sampleVersion("v1")] },
      message: /storage version changed from v1 to v1beta1/,
      nextStep: /again/,
    },
    {
      when: "there are no leftover versions",
      crd: { ...proven, storedVersions: ["v1"] },
      message: /nothing to prune/,
      nextStep: /No action is needed/,
    },
    { when: "the definition is being deleted", crd: { ...proven, ...deleted }, message: /being deleted/, nextStep: /Check its conditions/ },
    {
      when: "a run is live, proof or not",
      crd: { ...proven, record: sampleRecord({ proof: sampleProof(proven), runs: [live] }) },
      message: /A rewrite is in progress/,
      nextStep: /Wait/,
    },
    {
      when: "the cluster's own migration is running",
      crd: { ...proven, ...migrating },
      message: /own StorageVersionMigration/,
      nextStep: /Wait/,
    },
  ])("is refused when $when", ({ crd, message, nextStep }) => {
    expect(pruneRefusal(crd, now)).toMatchObject({ message: expect.stringMatching(message), nextStep: expect.stringMatching(nextStep) });
  });
});

describe("putting versions back", () => {
  const pruned = sampleCrd({ storedVersions: ["v1"] });

  test("is allowed while they are in the spec, and keeps what is there", () => {
    expect(relistRefusal(pruned, ["v1beta1"], now)).toBeNull();
    expect(relistedStoredVersions(pruned, ["v1beta1"])).toEqual(["v1beta1", "v1"]);
    expect(relistedStoredVersions(pruned, ["v1beta1", "v1", "v1beta1"])).toEqual(["v1beta1", "v1"]);
  });

  test.each<{ when: string; crd: Crd; versions: string[]; message: RegExp }>([
    { when: "the spec lost one", crd: pruned, versions: ["v1beta1", "v1alpha1"], message: /v1alpha1 is no longer in spec\.versions/ },
    { when: "the definition is being deleted", crd: { ...pruned, ...deleted }, versions: ["v1beta1"], message: /being deleted/ },
    {
      when: "they are stored versions already",
      crd: sampleCrd(),
      versions: ["v1beta1"],
      message: /already listed in status\.storedVersions/,
    },
    { when: "a run is live", crd: { ...pruned, ...atWork }, versions: ["v1beta1"], message: /A rewrite is in progress/ },
    {
      when: "the cluster's own migration is running",
      crd: { ...pruned, ...migrating },
      versions: ["v1beta1"],
      message: /StorageVersionMigration/,
    },
    {
      when: "the list would still be wrong",
      crd: sampleCrd({ storedVersions: ["v9"] }),
      versions: ["v1beta1"],
      message: /would be wrong: status\.storedVersions lists v9/,
    },
  ])("is refused when $when", ({ crd, versions, message }) => {
    expect(relistRefusal(crd, versions, now)?.message).toMatch(message);
  });
});

// Whoever may patch only /status writes the list, and somebody with more rights pastes the command.
test("a stored version can't break out of the command that repairs the list", () => {
  const { nextStep = "" } = rewriteRefusal(sampleCrd({ storedVersions: ["v1", "gone", "x'; id; '"] }), now) ?? {};
  expect(nextStep).toContain(` -p '{"status":{"storedVersions":["v1","x'\\''; id; '\\''"]}}'`);
});

test("a name that was cut as it was read is never sent back", () => {
  const crd = sampleCrd({ storedVersions: ["v1", "gone", `${"x".repeat(63)}…`] });
  expect(rewriteRefusal(crd, now)?.nextStep).toContain(` -p '{"status":{"storedVersions":["v1"]}}'`);
  expect(relistedStoredVersions(crd, ["v1beta1"])).toEqual(["v1beta1", "v1", "gone"]);
});
