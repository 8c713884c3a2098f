import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { untilAborted } from "./until-aborted.ts";

test("an abortable wait settles like its promise and leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
  await expect(untilAborted(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an abort ends all waits on its signal with its reason, even if their promises never settle", async () => {
  const ending = new AbortController();
  const slow = Promise.withResolvers<string>();
  const waiting = [1, 2, 3].map(() => untilAborted(slow.promise, ending.signal));
  const other = untilAborted(Promise.resolve("done"), ending.signal);
  expect(await other).toBe("done");
  expect(getEventListeners(ending.signal, "abort")).toHaveLength(1);
  const reason = new Error("enough");
  ending.abort(reason);
  expect(await Promise.allSettled(waiting)).toEqual(waiting.map(() => ({ status: "rejected", reason })));
  await expect(untilAborted(Promise.reject(new Error("late")), ending.signal)).rejects.toBe(reason);
  expect(getEventListeners(ending.signal, "abort")).toEqual([]);
});
