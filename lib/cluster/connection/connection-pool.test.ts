import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectionPool } from "./connection-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 60 * 60_000;

function pool() {
  const connections = connectionPool<{ close(): Promise<void>; pushOut(): void; isPushedOut(): boolean }>();
  const closed: string[] = [];
  const pushedOut = new Set<string>();
  const uses = new Map<string, () => void>();
  const add = (name: string, whose: "process" | "unconfirmed" = "process") =>
    connections.add(name, whose, async (onUse) => {
      uses.set(name, onUse);
      const isPushedOut = () => pushedOut.has(name);
      return { close: async () => void closed.push(name), pushOut: () => void pushedOut.add(name), isPushedOut };
    });
  const keep = async (name: string, person: string) => connections.keep(name, person, await add(name, "unconfirmed"));
  return { connections, closed, pushedOut, add, keep, use: (name: string) => uses.get(name)?.() };
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
  await expect(connections.add("a", "process", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(connections.get("a")).toBeNull();
});

test("tokens that the cluster hasn't accepted push out only one another, and one that it accepts in the end is kept", async () => {
  const { connections, closed, add, keep } = pool();
  await keep("of Ada", "ada");
  const first = await add("made-up 0", "unconfirmed");
  for (let index = 1; index < 300; index++) await add(`made-up ${index}`, "unconfirmed");
  expect(connections.get("made-up 0")).toBeNull();
  expect(connections.get("made-up 299")).not.toBeNull();
  expect(connections.get("of Ada")).not.toBeNull();
  expect(closed).toEqual([]);
  connections.keep("made-up 0", "grace", first);
  expect(await connections.get("made-up 0")).toBe(first);
});

test("200 people find room, and one more once someone hasn't used crdshift for ten minutes", async () => {
  const { connections, keep } = pool();
  for (let index = 0; index < 200; index++) await keep(`token ${index}`, `person ${index}`);
  await expect(keep("one more", "late")).rejects.toMatchObject({ code: "too_many_requests" });
  vi.advanceTimersByTime(HOUR_MS);
  for (let index = 1; index < 200; index++) connections.get(`token ${index}`);
  await keep("one more", "late");
  expect(connections.get("token 0")).toBeNull();
});

test("one person with many tokens, as behind a proxy that renews them, takes one person's room", async () => {
  const { connections, closed, pushedOut, keep } = pool();
  for (let index = 0; index < 1_000; index++) {
    vi.advanceTimersByTime(1);
    await keep(`token ${index}`, "ada");
  }
  expect(pushedOut.size).toBe(992);
  expect(connections.get("token 991")).toBeNull();
  expect(connections.get("token 992")).not.toBeNull();
  // A run may still be using it.
  expect(closed).toEqual([]);
  await keep("of Grace", "grace");
  expect(connections.get("of Grace")).not.toBeNull();
});

test("the service accounts of a namespace leave room for others, and push out nobody", async () => {
  const { connections, pushedOut, keep } = pool();
  const robot = (index: number) => keep(`token ${index}`, `system:serviceaccount:team-a:robot-${index}`);
  for (let index = 0; index < 50; index++) await robot(index);
  await expect(robot(50)).rejects.toMatchObject({ code: "too_many_requests", message: expect.stringContaining("50 service accounts") });
  await keep("of Ada", "ada");
  await keep("of another", "system:serviceaccount:team-b:robot-0");
  await keep("another token", "system:serviceaccount:team-a:robot-0");
  expect(["of Ada", "of another", "another token", "token 0"].every((key) => connections.has(key))).toBe(true);
  expect(pushedOut.size).toBe(0);
});
