import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { statusError } from "./errors.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

vi.mock("#lib/async/sleep.ts", () => ({
  jitteredBackoffMs: () => 100,
  sleep: (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms)),
}));

const never = new AbortController().signal;
const answer = (status: number, message = "busy", headers: Record<string, string> = {}) =>
  statusError(status, headers, JSON.stringify({ kind: "Status", message }), { path: "/apis" });

/** Fails with each error in turn, then answers. */
function failing(...errors: unknown[]) {
  const request = vi.fn(async () => {
    const error = errors.shift();
    if (error) throw error;
    return "answered";
  });
  return { request, outcome: retryWhileBusy(request, never).catch((error: unknown) => error) };
}

test.each([429, 503, 504])("a temporary %s is tried again, up to three times", async (status) => {
  const { request, outcome } = failing(answer(status), answer(status), answer(status));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await outcome).toBe("answered");
  expect(request).toHaveBeenCalledTimes(4);

  const lasting = failing(...Array.from({ length: 9 }, () => answer(status)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await lasting.outcome).toMatchObject({ clusterMessage: "busy" });
  expect(lasting.request).toHaveBeenCalledTimes(4);
});

test("it is never tried before Retry-After, and not at all when that is far", async () => {
  const { request, outcome } = failing(answer(429, "busy", { "retry-after": "3" }));
  await vi.advanceTimersByTimeAsync(2_900);
  expect(request).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(await outcome).toBe("answered");

  const far = failing(answer(429, "busy", { "retry-after": "60" }));
  expect(await far.outcome).toMatchObject({ clusterMessage: "busy" });
  expect(far.request).toHaveBeenCalledTimes(1);
});

test.each([
  answer(403),
  answer(404),
  answer(500),
  answer(429, "storage is (re)initializing: conversion webhook for example.com/v1, Kind=Widget failed"),
  new Error("cancelled"),
])("an error that waiting can't fix is thrown at once: %s", async (error) => {
  const { request, outcome } = failing(error);
  expect(await outcome).toBe(error);
  expect(request).toHaveBeenCalledTimes(1);
});
