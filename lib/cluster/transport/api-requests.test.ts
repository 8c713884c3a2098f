import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { apiRequests, countError, countRequest, DURATION_BOUNDS } from "./api-requests.ts";
import { HeldBack } from "./whole-answer.ts";

beforeEach(() => {
  apiRequests().byMethod.clear();
  apiRequests().errors.clear();
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;
const answering = (status: number, afterMs = 0) => countRequest("GET", signal, async () => answerAfter(status, afterMs));
const answerAfter = (statusCode: number, ms: number) => {
  vi.advanceTimersByTime(ms);
  return { statusCode };
};
const got = () => apiRequests().byMethod.get("GET");

test("requests are counted by method and status, and given on", async () => {
  expect(await answering(200)).toEqual({ statusCode: 200 });
  await answering(200);
  await answering(404);
  await countRequest("PATCH", signal, async () => answerAfter(409, 0));
  expect([...(got()?.byStatus ?? [])]).toEqual([
    [200, 2],
    [404, 1],
  ]);
  expect([...apiRequests().byMethod.keys()]).toEqual(["GET", "PATCH"]);
});

test("a duration falls up to a bound, the bound itself included, and beyond the last", async () => {
  for (const ms of [0, 5, 6, 30_000, 30_001]) await answering(200, ms);
  const { byDuration = [], seconds } = got() ?? {};
  expect(byDuration).toHaveLength(DURATION_BOUNDS.length + 1);
  expect([byDuration[0], byDuration[1], byDuration.at(-2), byDuration.at(-1)]).toEqual([2, 1, 1, 1]);
  expect(byDuration.reduce((sum, count) => sum + count)).toBe(5);
  expect(seconds).toBeCloseTo(60.012);
});

test("one without an answer is counted and thrown, one that was given up or never sent is only thrown", async () => {
  const gone = new Error("reset");
  const failing = () => Promise.reject(gone);
  await expect(countRequest("GET", signal, failing)).rejects.toBe(gone);
  await expect(countRequest("GET", AbortSignal.abort(), failing)).rejects.toBe(gone);
  await expect(countRequest("GET", signal, () => Promise.reject(new HeldBack("Not now.")))).rejects.toThrow("Not now.");
  expect([...(got()?.byStatus ?? [])]).toEqual([[0, 1]]);
});

test("errors are counted by their code, and what is none of crdshift's is not", () => {
  const error = new AppError("conflict", "No.");
  expect(countError(error)).toBe(error);
  countError(new AppError("conflict", "No."));
  countError(new Error("cancelled"));
  expect([...apiRequests().errors]).toEqual([["conflict", 2]]);
});
