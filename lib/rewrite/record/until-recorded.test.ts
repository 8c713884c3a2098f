import { expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { logActionsTo, recordAction, untilRecorded } from "./record-action.ts";

const events = vi.hoisted(() => ({ held: Promise.withResolvers<void>() }));

vi.mock("#lib/cluster/history/events.ts", () => ({ createEvent: () => events.held.promise }));

// Without crdName (untilRecorded) it takes up to five seconds: as long as somebody's Event on any definition takes.
test("the history of a definition waits for no action on another one", async () => {
  logActionsTo(() => {});
  const connection = { name: "c", audience: "alice" } as Partial<Connection> as Connection;
  const action = { kind: "cancelled", at: "2026-01-01T00:00:00.000Z", by: "alice", run: "run", message: "Cancelled." } as const;
  recordAction(connection, "slow.example.com", action, "uid");
  const states: string[] = [];
  const own = untilRecorded(undefined, "slow.example.com").then(() => states.push("own"));
  await untilRecorded(undefined, "other.example.com").then(() => states.push("other"));
  events.held.resolve();
  await own;
  expect(states).toEqual(["other", "own"]);
});
