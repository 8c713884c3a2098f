import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/definition/sample-crd.ts";
import { primaryAction } from "./primary-action.ts";

type Shown = Parameters<typeof primaryAction>[0];

const offered = { refusal: null };
const refused = { refusal: "Not yet." };
const crd = (changes: object): Shown =>
  // Only what the choice rests on.
  ({
    ...{ state: "needs-rewrite", activeRun: null, run: null, dryRun: null, missingStoredVersions: [], contradiction: null },
    ...{ actions: { restore: offered }, ...changes },
  }) as unknown as Shown;

test.each<[when: string, changes: object, action: string]>([
  ["no dry run was made", {}, "dry-run"],
  ["the dry run is of an earlier spec", { dryRun: { invalidBecause: "The spec changed." } }, "dry-run"],
  ["a dry run shows what a rewrite does", { dryRun: { invalidBecause: null } }, "rewrite"],
  ["a rewrite is running, whatever the state says", { run: sampleRun({ phase: "rewriting" }), state: "blocked" }, "watch"],
  ["a rewrite was interrupted", { run: sampleRun({ phase: "interrupted" }) }, "resume"],
  ["there is a proof", { state: "prunable" }, "prune"],
  ["stored versions are missing", { state: "blocked", missingStoredVersions: ["v1beta1"] }, "restore"],
  ["they can't be put back", { state: "blocked", missingStoredVersions: ["v1beta1"], actions: { restore: refused } }, "none"],
  ["etcd contradicts the definition", { state: "blocked", contradiction: {} }, "rewrite"],
  ["losses held the last run back", { state: "blocked", run: sampleRun({ phase: "unproven", heldBackBecause: "Losses." }) }, "rewrite"],
  ["the last run had rejected objects", { state: "blocked", run: sampleRun({ phase: "unproven" }) }, "inspect"],
  ["nothing is left to do", { state: "current" }, "none"],
])("when %s", (_when, changes, action) => {
  expect(primaryAction(crd(changes)).action).toBe(action);
});
