import { expect, test } from "vitest";
import { sampleCrd, sampleRecord, sampleRun, sampleVersion } from "#lib/domain/definition/sample-crd.ts";
import { doubtIn, doubtOf } from "./doubt.ts";
import type { Run, RunCounts } from "./run.ts";

const ended = (phase: Run["phase"], counts: Partial<RunCounts> = {}) =>
  sampleRun({ phase, counts: { total: 10, rewritten: 0, alreadyCurrent: 10, gone: 0, rejected: 0, remaining: 0, ...counts } });
const doubt = (...runs: Run[]) => doubtIn(sampleRecord({ runs }));

test("a rewrite that changed an object, or could not verify one, leaves a doubt however it ended", () => {
  for (const phase of ["cancelled", "interrupted", "failed", "unproven", "rewriting"] as const) {
    expect(doubt(ended(phase, { rewritten: 7 })), phase).toEqual({ rejected: 0 });
    expect(doubt(ended(phase, { rejected: 1 })), phase).toEqual({ rejected: 1 });
    expect(doubt(ended(phase)), phase).toBeNull();
  }
});

test("later rewrites that change nothing do not end it, a proven one does", () => {
  const rejecting = ended("unproven", { rejected: 2 });
  expect(doubt(ended("cancelled"), ended("failed"), rejecting)).toEqual({ rejected: 2 });
  expect(doubt(ended("cancelled", { rejected: 1 }), rejecting)).toEqual({ rejected: 2 });
  expect(doubt(ended("succeeded", { rewritten: 10 }), rejecting)).toBeNull();
  expect(doubt(ended("cancelled"), ended("succeeded"), rejecting)).toBeNull();
});

test("it outlasts the runs that left it", () => {
  const kept = { rejected: 2 };
  expect(doubtIn({ doubt: kept, runs: [] })).toEqual(kept);
  expect(doubtIn({ doubt: kept, runs: [ended("cancelled", { rewritten: 1 })] })).toEqual(kept);
  expect(doubtIn({ doubt: kept, runs: [ended("succeeded")] })).toBeNull();
});

test("changed objects of a single version were not stored in another", () => {
  const record = sampleRecord({ runs: [ended("cancelled", { rewritten: 7 })] });
  expect(doubtOf(sampleCrd({ record }))).toEqual({ rejected: 0 });
  expect(doubtOf(sampleCrd({ record, versions: [sampleVersion("v1", { storage: true })] }))).toBeNull();
  expect(doubtOf(sampleCrd())).toBeNull();
});
