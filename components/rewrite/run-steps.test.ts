import { describe, expect, it } from "vitest";
import { runProgress } from "#components/crd/run-progress.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { sampleRun } from "#lib/domain/definition/sample-crd.ts";
import type { RunPhase } from "#lib/domain/rewrite/run.ts";
import { runSteps } from "./run-steps.ts";
import { verdict } from "./verdict.ts";

const counts = { total: 10, rewritten: 4, alreadyCurrent: 1, gone: 1, rejected: 0, remaining: 4 };

function runIn(phase: RunPhase, more: Partial<Run> = {}): Run {
  return sampleRun({ phase, settledAt: "2026-01-01T00:00:00Z", counts, ...more });
}

describe("runSteps", () => {
  it.each<[RunPhase, Partial<Run>, string[]]>([
    ["settling", { settledAt: null }, ["current", "todo", "todo", "todo"]],
    ["rewriting", {}, ["done", "current", "todo", "todo"]],
    ["verifying", {}, ["done", "done", "current", "todo"]],
    ["succeeded", {}, ["done", "done", "done", "done"]],
    ["unproven", {}, ["done", "stopped", "todo", "todo"]],
    ["unproven", { settledAt: null, heldBackBecause: "losses" }, ["stopped", "todo", "todo", "todo"]],
    ["paused", { settledAt: null }, ["current", "todo", "todo", "todo"]],
    ["cancelled", { settledAt: null }, ["stopped", "todo", "todo", "todo"]],
    ["interrupted", {}, ["done", "stopped", "todo", "todo"]],
    ["failed", { counts: { ...counts, remaining: 0 } }, ["done", "done", "stopped", "todo"]],
  ])("of a %s run", (phase, more, statuses) => {
    expect(runSteps(runIn(phase, more)).map(({ status }) => status)).toEqual(statuses);
  });
});

describe("verdict", () => {
  it("is null while the run is live", () => expect(verdict(runIn("verifying"))).toBeNull());
  it("counts only objects stored at the storage version", () =>
    expect(verdict(runIn("succeeded"))).toBe("All 5 objects are stored as v1."));
  it("says held back, not rejected", () =>
    expect(
      verdict(runIn("unproven", { heldBackBecause: "spec.old would be dropped in 3 objects", counts: { ...counts, rewritten: 0 } })),
    ).toBe("Held back before anything was rewritten."));
  it("says that a resumed run rewrote nothing more", () =>
    expect(
      verdict(runIn("unproven", { heldBackBecause: "spec.old would be dropped in 3 objects", counts: { ...counts, rewritten: 2 } })),
    ).toBe("Held back before anything more was rewritten."));
  it("tells a run that ended as interrupted from one that stopped responding", () => {
    expect(verdict(runIn("interrupted", { endedAt: "2026-01-01T00:01:00Z" }))).toBe(
      "Interrupted with 4 remaining. Resume continues where it stopped.",
    );
    expect(verdict(runIn("interrupted"))).toContain("stopped responding");
  });
  it("reports no proof when objects were rejected", () =>
    expect(verdict(runIn("unproven", { counts: { ...counts, rejected: 1 } }))).toBe(
      "1 object could not be rewritten, so there is no proof.",
    ));
});

describe("runProgress", () => {
  it("never exceeds the total", () =>
    expect(runProgress({ counts: { ...counts, rewritten: 30 } })).toEqual({ done: 10, total: 10, percent: 100 }));
  it("stays below 100 % while one object remains", () =>
    expect(runProgress({ counts: { ...counts, total: 1_000, rewritten: 997, remaining: 1 } }).percent).toBe(99));
  it("has no percentage without a total", () => expect(runProgress({ counts: { ...counts, total: null } }).percent).toBeNull());
});
