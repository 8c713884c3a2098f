import { expect, test } from "vitest";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { migrationFromJson } from "./list-migrations.ts";

test("what a migration says of itself turns no text, and a time beyond the year 9999 is none", () => {
  const migration = (lastTransitionTime: string) =>
    migrationFromJson("in-tree", {
      metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
      spec: { resource: { group: "example.com", resource: "crontabs" } },
      status: { conditions: [{ type: "Failed", status: "True", message: "\u202edenied", lastTransitionTime }] },
    });
  expect(migration("2026-01-02T12:00:01Z")).toMatchObject({ phase: "failed", message: "\uFFFDdenied", since: "2026-01-02T12:00:01Z" });
  expect(migration("10000-01-01T22:59:59Z")).toMatchObject({ phase: "failed", since: null });
});

// A definition of that name may allow them empty; reading all took 1.4 s.
test("half a million conditions hold nobody up", async () => {
  const json = {
    metadata: { name: "m", uid: "u", creationTimestamp: "2026-01-02T12:00:00Z" },
    spec: { resource: { group: "example.com", resource: "crontabs" } },
    status: { conditions: [{ type: "Failed", status: "True", message: "denied" }, ...Array.from({ length: 500_000 }, () => ({}))] },
  };
  const { longest, result } = await whileWatched(async () => migrationFromJson("in-tree", json));
  expect(longest).toBeLessThan(LONGEST_TURN);
  expect(result).toMatchObject({ phase: "failed", message: "denied" });
});
