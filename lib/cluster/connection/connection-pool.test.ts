import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectionPool } from "./connection-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 60 * 60_000;

function pool() {
  const connections = connectionPool<{ close(): Promise<void> }>();
  const closed: string[] = [];
  const uses = new Map<string, () => void>();
  const add = (name: string) =>
    connections.add(name, async (onUse) => {
      uses.set(name, onUse);
      return { close: async () => void closed.push(name) };
    });
  return { connections, closed, add, use: (name: string) => uses.get(name)?.() };
}

test("beyond 64 the longest unused connection is closed, and only that", async () => {
  const { connections, closed, add } = pool();
  for (let index = 0; index < 64; index++) {
    await add(`c${index}`);
    vi.advanceTimersByTime(1_000);
  }
  vi.advanceTimersByTime(HOUR_MS);
  await connections.get("c0");
  await add("one more");
  await vi.advanceTimersByTimeAsync(0);
  expect(closed).toEqual(["c1"]);
  expect(connections.get("c1")).toBeNull();
  expect(connections.get("c0")).not.toBeNull();
  expect(connections.get("c2")).not.toBeNull();
});

test("one that still sends requests is never closed, however many there are", async () => {
  const { connections, closed, add, use } = pool();
  for (let index = 0; index < 80; index++) {
    await add(`c${index}`);
    vi.advanceTimersByTime(HOUR_MS / 100);
    for (let used = 0; used <= index; used++) use(`c${used}`);
  }
  expect(closed).toEqual([]);
  expect(connections.get("c0")).not.toBeNull();
});

test("the same one is given as long as it is kept", async () => {
  const { connections, add } = pool();
  const first = await add("a");
  expect(await connections.get("a")).toBe(first);
});

test("one that can't be opened is tried again the next time", async () => {
  const { connections } = pool();
  await expect(connections.add("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(connections.get("a")).toBeNull();
});
