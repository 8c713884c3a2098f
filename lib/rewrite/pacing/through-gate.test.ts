import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { createGate } from "./outage-gate.ts";
import { throughGate } from "./through-gate.ts";

vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const AWAY = new AppError("cluster_unreachable", "The API server is away.");

// Without isAlone, an API server that restarts twice during hours of listing interrupts the work: nothing else succeeds meanwhile.
test("two short outages far apart are not one of ten minutes, if nothing failed in between", async () => {
  const gate = createGate();
  const answers = ["fails", ...Array<string>(20).fill("lists"), "fails", "lists"];
  const request = async () => {
    if (answers.shift() === "fails") throw AWAY;
    return "listed";
  };
  while (answers.length > 0) {
    const listed = throughGate(gate, new AbortController().signal, request).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await listed).toBe("listed");
  }
});

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
