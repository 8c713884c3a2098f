import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import type { DryRunPhase } from "./dry-run.ts";
import { dryRunStanding } from "./dry-run-standing.ts";

const one = (phase: DryRunPhase, id = "one", startedAt = "2026-01-02T12:00:00.000Z") => ({ id, phase, startedAt });
const nothing = { dryRun: null, run: null };
const proven = sampleRun({ phase: "succeeded", endedAt: "2026-01-02T12:30:00.000Z", dryRun: "one" });

test("there is none only if none is known", () => {
  expect(dryRunStanding([], nothing)).toEqual({ running: null, latest: { kind: "none" } });
});

test("a running one is shown beside what the definition records", () => {
  expect(dryRunStanding([one("running", "two"), one("succeeded")], { ...nothing, dryRun: { id: "one" } })).toEqual({
    ...{ running: one("running", "two"), latest: { kind: "recorded" } },
  });
});

test("one that the definition records has ended, whatever the list still says", () => {
  expect(dryRunStanding([one("running")], { ...nothing, dryRun: { id: "one" } }).running).toBeNull();
});

test.each(["cancelled", "failed", "succeeded"] as const)("a %s one that the definition does not record is still one", (phase) => {
  expect(dryRunStanding([one(phase)], nothing).latest).toEqual({ kind: "unrecorded", dryRun: one(phase) });
});

test("nothing is left to see of a superseded one that this crdshift doesn't know", () => {
  expect(dryRunStanding([], { dryRun: null, run: proven }).latest).toEqual({ kind: "superseded", dryRun: null });
});

test("a proof supersedes earlier ones, not later ones", () => {
  expect(dryRunStanding([one("succeeded")], { dryRun: null, run: proven }).latest).toEqual({
    kind: "superseded",
    dryRun: one("succeeded"),
  });
  const later = one("cancelled", "two", "2026-01-02T13:00:00.000Z");
  expect(dryRunStanding([later, one("succeeded")], { dryRun: null, run: proven }).latest).toEqual({ kind: "unrecorded", dryRun: later });
});
