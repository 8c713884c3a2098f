import { expect, test } from "vitest";
import type { Migration } from "#lib/domain/rewrite/migration.ts";
import { sharedMigration } from "./shared-migration.ts";

const migration = (changes: Partial<Migration> = {}): Migration => ({
  ...{
    engine: "in-tree",
    name: "one",
    uid: "u1",
    resource: "widgets.example.com",
    phase: "running",
    message: "",
    since: null,
    runId: null,
  },
  createdAt: "2026-01-02T12:00:00Z",
  ...changes,
});

test("what says the same is one in memory, and what has changed, or is another, is not", () => {
  const first = sharedMigration(migration());
  expect(sharedMigration(migration())).toBe(first);
  const ended = sharedMigration(migration({ phase: "succeeded" }));
  expect(ended).toEqual(migration({ phase: "succeeded" }));
  expect(sharedMigration(migration({ phase: "succeeded" }))).toBe(ended);
  expect(sharedMigration(migration({ uid: "u2" }))).not.toBe(first);
});
