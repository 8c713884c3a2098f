import { expect, test } from "vitest";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import { knownMigration, unreadNote } from "./known-migration.ts";
import type { Delegation, Run } from "./run.ts";

const delegation: Delegation = {
  ...{ migration: "crdshift-run-1-2", phase: null, message: "", left: null, startedAt: null, endedAt: null },
  ...{ storedVersionsBefore: ["v1beta1", "v1"], putBack: [] },
};
const settledAt = "2026-01-02T11:59:30.000Z";
const endedAt = "2026-01-02T12:00:00.000Z";
const unread = { left: unreadNote(delegation.migration) };

// Without knownMigration (known-migration.ts) a run that was killed beside its new migration says that none is running.
test.each<[string, Partial<Run>, Partial<Delegation>, ReturnType<typeof knownMigration>]>([
  ["of a run that went silent once it had settled", { phase: "interrupted", settledAt }, {}, "unknown"],
  ["of a run that went silent before", { phase: "interrupted" }, {}, "none"],
  ["of a run that was stopped once it had settled", { phase: "interrupted", settledAt, endedAt }, {}, "unknown"],
  ["that couldn't be read as the run was cancelled", { phase: "cancelled", settledAt, endedAt }, unread, "unknown"],
  ["of a run that was cancelled after its process died", { phase: "cancelled", settledAt, endedAt }, {}, "unknown"],
  ["that was deleted again", { phase: "interrupted", settledAt }, { left: "It was deleted." }, "none"],
  ["of a run that is settling", { phase: "settling" }, {}, "none"],
  ["of a run that has settled", { phase: "rewriting", settledAt }, {}, "none-yet"],
  ["that ran when it was last read", { phase: "interrupted", settledAt }, { phase: "running" }, "running"],
])("what is known of a migration %s", (_, run, known, expected) => {
  expect(knownMigration(sampleRun(run), { ...delegation, ...known })).toBe(expected);
});
