import { describe, expect, it } from "vitest";
import type { Run } from "#lib/contract/rewrite/run.ts";
import type { RunPhase } from "#lib/domain/rewrite/run.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { runProgress, runSteps } from "./run-steps.ts";

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
    expect(runSteps(runIn(phase, more), "proven").map(({ status }) => status)).toEqual(statuses);
  });

  // Without proofStatus (run-steps.ts) the proof of a run shows as done that anyone may have written, or that was withdrawn.
  it.each([
    ["proven", "done"],
    ["replaced", "done"],
    ["unknown", "done"],
    ["void", "lapsed"],
    ["claimed", "stopped"],
    ["missing", "stopped"],
  ] as const)("of a run whose success is %s", (success, proof) => {
    expect(runSteps(runIn("succeeded"), success).map(({ status }) => status)).toEqual(["done", "done", "done", proof]);
  });
});

describe("runProgress", () => {
  // Without what remains (run-steps.ts) the bar falls back whenever a list begins again.
  it("goes by what remains: objects of a list that began again have no outcome yet", () =>
    expect(runProgress({ counts: { ...counts, total: 1_000, rewritten: 100, remaining: 500 } })).toEqual({
      ...{ done: 500, total: 1_000, percent: 50 },
    }));
  it("stays below 100 % while one object remains", () =>
    expect(runProgress({ counts: { ...counts, total: 1_000, rewritten: 997, remaining: 1 } }).percent).toBe(99));
  it("has no percentage without a total", () => expect(runProgress({ counts: { ...counts, total: null } }).percent).toBeNull());
});
