import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { statusError } from "#lib/cluster/transport/errors.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { createGate } from "./outage-gate.ts";
import { throughGate } from "./through-gate.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const EXPIRED = statusError(410, {}, JSON.stringify({ kind: "Status", reason: "Expired" }), { method: "GET", path: "/list" });
const AWAY = new AppError("cluster_unreachable", "The API server is away.");

// Without isAlone, an API server that restarts twice during hours of listing interrupts the work: nothing else succeeds meanwhile.
test.each([
  ["lists", "listed"],
  ["expired", EXPIRED],
])(
  "two short outages far apart are not one of ten minutes, if nothing failed in between (the first ends when it %s)",
  async (after, end) => {
    const gate = createGate();
    const answers = ["fails", after, ...Array<string>(20).fill("lists"), "fails", "lists"];
    const request = async () => {
      const answer = answers.shift();
      if (answer === "fails") throw AWAY;
      if (answer === "expired") throw EXPIRED;
      return "listed";
    };
    const ends: unknown[] = [];
    while (answers.length > 0) {
      const listed = throughGate(gate, new AbortController().signal, request).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(60_000);
      ends.push(await listed);
    }
    expect(ends).toEqual([end, ...Array<string>(21).fill("listed")]);
  },
);

test("lists that succeed while all else fails don't prolong the ten minutes", async () => {
  const gate = createGate();
  const list = () => throughGate(gate, new AbortController().signal, async () => "listed");
  const until = performance.now() + 11 * 60_000;
  let error: unknown = null;
  while (error === null && performance.now() < until) {
    gate.close("writes fail", null);
    const listing = list().catch((thrown: unknown) => {
      error = thrown;
    });
    await vi.advanceTimersByTimeAsync(30_000);
    await listing;
  }
  expect(error).toMatchObject({ phase: "interrupted", message: "Nothing has succeeded for ten minutes: writes fail" });
});
