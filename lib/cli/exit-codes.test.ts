import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { errorCodes } from "#lib/contract/error.ts";
import { crdStates } from "#lib/domain/definition/crd-state.ts";
import { NOTHING_CHECKED } from "#lib/domain/losses/dry-run.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { runPhases } from "#lib/domain/rewrite/run.ts";
import {
  exitCodeOfDryRun,
  exitCodeOfEdits,
  exitCodeOfError,
  exitCodeOfFleet,
  exitCodeOfRun,
  exitCodeOfState,
  exitCodeRows,
  exitCodes,
} from "./exit-codes.ts";

test("no two meanings share a code", () => {
  const codes = Object.values(exitCodes);
  expect(new Set(codes).size).toBe(codes.length);
});

test("only a proven run counts as done; a run that lost its holder can be resumed", () => {
  const codes = Object.fromEntries(runPhases.map((phase) => [phase, exitCodeOfRun({ phase, heldBackBecause: null })]));
  expect(codes).toEqual({
    ...{ settling: 12, rewriting: 12, verifying: 12, paused: 12, interrupted: 12 },
    ...{ succeeded: 0, unproven: 10, cancelled: 130, failed: 1 },
  });
  expect(exitCodeOfRun({ phase: "unproven", heldBackBecause: "spec.x would be dropped" })).toBe(11);
});

test("each state has its own code, except current", () => {
  const codes = Object.fromEntries(crdStates.map((state) => [state, exitCodeOfState(state)]));
  expect(codes).toEqual({ blocked: 10, rewriting: 22, "needs-rewrite": 20, prunable: 21, current: 0, unknown: 23 });
});

test.each([
  [0, []],
  [0, ["current", "current"]],
  [23, ["current", "unknown"]],
  [21, ["prunable", "current", "unknown"]],
  [22, ["rewriting", "prunable", "unknown"]],
  [20, ["rewriting", "needs-rewrite", "prunable", "current", "unknown"]],
  [10, ["blocked", "needs-rewrite", "unknown"]],
] as const)("a fleet exits with %s for the state to act on first of %j", (code, states) => {
  const fleet = states.map((state) => ({ state }));
  expect(exitCodeOfFleet(fleet)).toBe(code);
  expect(exitCodeOfFleet(fleet.toReversed())).toBe(code);
});

type Checked = Parameters<typeof exitCodeOfEdits>[0][number];
const refused: Checked = { result: { verdict: "refused", isBudget: true, message: "", causes: [] } };
const notTried: Checked = { result: { verdict: "not-tried", because: "" } };
const accepted: Checked = { result: { verdict: "accepted" } };
test.each([
  [0, [accepted]],
  [23, [accepted, notTried]],
  [6, [notTried, accepted, refused]],
])("checked edits exit with %s for the worst of %j", (code, checks) => {
  expect(exitCodeOfEdits(checks)).toBe(code);
});

test("each error has its code, and a start refused for losses exits with the code for losses", () => {
  const codes = Object.fromEntries(errorCodes.map((code) => [code, exitCodeOfError(new AppError(code, "no"))]));
  expect(codes).toEqual({
    ...{ invalid_input: 2, request_refused: 2, too_large: 2, unsupported_media_type: 2, not_found: 3, unauthenticated: 4, forbidden: 4 },
    ...{ cluster_unreachable: 5, cluster_timeout: 5, cluster_rejected: 6, conflict: 7, precondition_failed: 8 },
    ...{ internal: 1, too_many_requests: 1 },
  });
  expect(exitCodeOfError(new AppError("precondition_failed", "no", { details: { losses: [] } }))).toBe(11);
  expect(exitCodeOfError(new Error("a defect"))).toBe(1);
});

const dropped: Loss = { kind: "dropped", path: "spec.x", objects: 1, examples: [] };
const defaulted: Loss = { ...dropped, kind: "defaulted" };
const tried = { ...NOTHING_CHECKED, total: 3, checked: 3, wouldPass: 3 };
const clean = { phase: "succeeded" as const, checks: [], dryRun: tried, losses: [defaulted], lossesKnown: true };
test.each<[code: number, dryRun: Parameters<typeof exitCodeOfDryRun>[0]]>([
  [0, clean],
  [8, { ...clean, checks: [{ name: "permissions", status: "fail", message: "" }], losses: [dropped] }],
  [10, { ...clean, dryRun: { ...tried, wouldPass: 2, wouldBeRejected: 1 }, losses: [dropped] }],
  [11, { ...clean, losses: [dropped] }],
  [11, { ...clean, lossesKnown: false }],
  // Without untriedWords (exit-codes.ts) this is 0, although none of the objects that a rewrite would patch was tried.
  [11, { ...clean, dryRun: { ...NOTHING_CHECKED, total: 60, alreadyCurrent: 57 }, losses: [] }],
  [1, { ...clean, phase: "failed" }],
  [130, { ...clean, phase: "cancelled" }],
])("a dry run exits with %s for the first thing that would stop its rewrite", (code, dryRun) => {
  expect(exitCodeOfDryRun(dryRun)).toBe(code);
});

test("docs/cli.md lists every code with the words of the help", async () => {
  const page = await readFile("docs/cli.md", "utf8");
  const section = page.split(/^## /m).find((text) => text.startsWith("Exit codes\n")) ?? "";
  // A long meaning goes on in the next line, indented.
  const items = section.matchAll(/^- `(\d+)` – (.*(?:\n {2}.+)*)$/gm);
  const listed = Array.from(items, ([, code, meaning = ""]) => [code, meaning.replaceAll("\n  ", " ")]);
  expect(listed).toEqual(exitCodeRows());
});
