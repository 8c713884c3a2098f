import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectionPool } from "./connection-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 60 * 60_000;
const MINUTE_MS = 60_000;

function pool() {
  const connections = connectionPool<{ close(): Promise<void>; pushOut(): void; letBackIn(): void; isPushedOut(): boolean }>();
  const closed: string[] = [];
  const pushedOut = new Set<string>();
  const uses = new Map<string, () => void>();
  const add = (name: string, whose: "process" | "unconfirmed" = "process") =>
    connections.add(name, whose, async (onUse) => {
      uses.set(name, onUse);
      let isOut = false;
      const pushOut = () => {
        isOut = true;
        pushedOut.add(name);
      };
      const letBackIn = () => {
        isOut = false;
      };
      return { close: async () => void closed.push(name), pushOut, letBackIn, isPushedOut: () => isOut };
    });
  const keep = async (name: string, person: string | null) => connections.keep(name, person, await add(name, "unconfirmed"));
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
  const { connections, closed, pushedOut, add, keep } = pool();
  await keep("of Ada", "ada");
  const first = await add("made-up 0", "unconfirmed");
  for (let index = 1; index < 300; index++) await add(`made-up ${index}`, "unconfirmed");
  expect([...pushedOut]).toEqual(Array.from({ length: 268 }, (_, index) => `made-up ${index}`));
  expect(connections.get("made-up 0")).toBeNull();
  expect(connections.get("made-up 299")).not.toBeNull();
  expect(connections.get("of Ada")).not.toBeNull();
  expect(closed).toEqual([]);
  connections.keep("made-up 0", "grace", first);
  expect(await connections.get("made-up 0")).toBe(first);
  expect(first.isPushedOut()).toBe(false);
});

// Without pushOutStranger (connection-pool.ts) the other one keeps all definitions for ten minutes, beside those of the first.
test("of two connections with one token, opened before and after made-up ones pushed it out, the first that is accepted stays", async () => {
  const { connections, add } = pool();
  const before = await add("token", "unconfirmed");
  for (let index = 0; index < 32; index++) await add(`made-up ${index}`, "unconfirmed");
  const after = await add("token", "unconfirmed");
  connections.keep("token", "ada", before);
  connections.keep("token", "ada", after);
  expect(await connections.get("token")).toBe(before);
  expect([before.isPushedOut(), after.isPushedOut()]).toEqual([false, true]);
});

test("200 people find room, and one more takes the place of whoever hasn't used crdshift for longest", async () => {
  const { connections, pushedOut, keep, use } = pool();
  for (let index = 0; index < 200; index++) {
    await keep(`token ${index}`, `person ${index}`);
    vi.advanceTimersByTime(1);
  }
  const refused = { code: "too_many_requests", message: expect.stringContaining("200 people") };
  await expect(keep("one more", "late")).rejects.toMatchObject(refused);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  // Such as by a run or an event stream.
  use("token 0");
  await keep("one more", "late");
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(["token 1"]);
  expect(["token 0", "token 1", "token 2", "one more"].map(connections.has)).toEqual([true, false, true, true]);
  await keep("token 1, renewed", "person 1");
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(["token 1", "token 2"]);
});

test("all tokens of whoever makes room are pushed out, and none of them if one is in use", async () => {
  const { connections, pushedOut, keep, use } = pool();
  for (let index = 0; index < 8; index++) await keep(`of Ada ${index}`, "ada");
  for (let index = 0; index < 8; index++) await keep(`of Grace ${index}`, "grace");
  for (let index = 0; index < 198; index++) await keep(`token ${index}`, `person ${index}`);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  for (let index = 0; index < 198; index++) use(`token ${index}`);
  use("of Ada 7");
  await keep("one more", "late");
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(Array.from({ length: 8 }, (_, index) => `of Grace ${index}`));
  expect(connections.has("of Ada 0")).toBe(true);
});

test("one person with many tokens, as behind a proxy that renews them, takes one person's room", async () => {
  const { connections, closed, pushedOut, keep } = pool();
  await keep("token 0", "ada");
  const first = (await connections.get("token 0")) ?? expect.fail();
  for (let index = 1; index < 1_000; index++) {
    vi.advanceTimersByTime(4_000);
    await keep(`token ${index}`, "ada");
  }
  expect(pushedOut.size).toBe(992);
  expect(connections.get("token 991")).toBeNull();
  expect(connections.get("token 992")).not.toBeNull();
  // A run may still be using it.
  expect(closed).toEqual([]);
  connections.keep("token 0", "ada", first);
  expect([first.isPushedOut(), connections.has("token 0")]).toEqual([true, false]);
  await keep("of Grace", "grace");
  expect(connections.get("of Grace")).not.toBeNull();
});

// Without STAYS_FOR_MS (connection-pool.ts) whoever uses nine tokens in turn has all definitions listed again with each request. It is not
// about use: those that a reader or a run uses for hours don't keep a person from signing in with another.
test("a person's ninth token is refused while eight are new, and then takes the place of one that isn't", async () => {
  const { connections, pushedOut, keep, use } = pool();
  for (let index = 0; index < 8; index++) await keep(`token ${index}`, "mallory");
  const refused = {
    code: "too_many_requests",
    message: expect.stringContaining("8 tokens within 30 s"),
    nextStep: expect.stringMatching(/wait/),
  };
  await expect(keep("ninth", "mallory")).rejects.toMatchObject(refused);
  await keep("of Ada", "ada");
  vi.advanceTimersByTime(31_000);
  for (let index = 0; index < 8; index++) use(`token ${index}`);
  await keep("ninth", "mallory");
  vi.advanceTimersByTime(1);
  // The ninth is now the longest unused one, but new.
  for (let index = 1; index < 8; index++) use(`token ${index}`);
  for (let index = 0; index < 7; index++) await keep(`more ${index}`, "mallory");
  await expect(keep("one more", "mallory")).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut].toSorted()).toEqual(Array.from({ length: 8 }, (_, index) => `token ${index}`));
  expect(connections.has("ninth")).toBe(true);
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

// Until 64 connections were kept, fifty that were used once kept the namespace's others out.
test("beyond 50 of a namespace, a service account takes the place of the one that hasn't been used for longest, and for ten minutes", async () => {
  const { connections, pushedOut, keep, use } = pool();
  const robot = (index: number) => keep(`token ${index}`, `system:serviceaccount:team-a:robot-${index}`);
  for (let index = 0; index < 50; index++) await robot(index);
  vi.advanceTimersByTime(9 * MINUTE_MS);
  await expect(robot(50)).rejects.toMatchObject({ code: "too_many_requests" });
  use("token 0");
  vi.advanceTimersByTime(2 * MINUTE_MS);
  await robot(51);
  await vi.advanceTimersByTimeAsync(0);
  expect(connections.has("token 51")).toBe(true);
  expect([...pushedOut]).toEqual(["token 1"]);
});

const account = (namespace: string, index: number) => `system:serviceaccount:${namespace}:robot-${index}`;

// Without MOST_SERVICE_ACCOUNTS (make-room.ts) four namespaces leave no room, and a request of each account every ten minutes keeps it so.
test("service accounts of many namespaces leave 100 places to people", async () => {
  const { connections, pushedOut, keep } = pool();
  const refusals: unknown[] = [];
  for (const namespace of ["a", "b", "c", "d"])
    for (let index = 0; index < 50; index++)
      await keep(`${namespace} ${index}`, account(namespace, index)).catch((error: unknown) => refusals.push(error));
  expect(refusals).toHaveLength(100);
  expect(refusals[0]).toMatchObject({ code: "too_many_requests", message: expect.stringContaining("100 service accounts") });
  for (let index = 0; index < 100; index++) await keep(`token ${index}`, `person ${index}`);
  await expect(keep("one more", "late")).rejects.toMatchObject({ code: "too_many_requests" });
  // Only those who were refused.
  expect([...pushedOut].filter((name) => !/^[cd] /.test(name))).toEqual([]);
  expect(["a 0", "b 49", "token 0", "token 99"].every(connections.has)).toBe(true);
});

test("a service account takes the place of an unused one where there are most, and never a person's", async () => {
  const { connections, pushedOut, keep, use } = pool();
  await keep("of Ada", "ada");
  await keep("c 0", account("c", 0));
  for (let index = 0; index < 50; index++) await keep(`a ${index}`, account("a", index));
  for (let index = 0; index < 49; index++) await keep(`b ${index}`, account("b", index));
  await expect(keep("d 0", account("d", 0))).rejects.toMatchObject({ code: "too_many_requests" });
  vi.advanceTimersByTime(2 * MINUTE_MS);
  use("a 0");
  await keep("d 0", account("d", 0));
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(["a 1"]);
  for (let index = 0; index < 50; index++) for (const namespace of ["a", "b"]) use(`${namespace} ${index}`);
  await expect(keep("d 1", account("d", 1))).rejects.toMatchObject({ code: "too_many_requests" });
  expect(["of Ada", "c 0", "d 0"].every(connections.has)).toBe(true);
});

test("people who fill more than 100 places keep them from service accounts", async () => {
  const { pushedOut, keep } = pool();
  for (let index = 0; index < 199; index++) await keep(`token ${index}`, `person ${index}`);
  await keep("a 0", account("a", 0));
  await expect(keep("b 0", account("b", 0))).rejects.toMatchObject({ message: expect.stringContaining("200 people") });
  vi.advanceTimersByTime(2 * MINUTE_MS);
  await keep("b 0", account("b", 0));
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(["a 0"]);
});

// When each counted as a person, whoever has 200 tokens that the cluster doesn't name kept everyone else out.
test("tokens without a name have 100 places beside those of people, and one more takes that of the longest unused", async () => {
  const { connections, pushedOut, keep, use } = pool();
  for (let index = 0; index < 100; index++) await keep(`unnamed ${index}`, null);
  const refused = { code: "too_many_requests", message: expect.stringContaining("100 tokens"), nextStep: "Try again in a minute." };
  await expect(keep("one more", null)).rejects.toMatchObject(refused);
  for (let index = 0; index < 200; index++) await keep(`token ${index}`, `person ${index}`);
  vi.advanceTimersByTime(2 * MINUTE_MS);
  use("unnamed 0");
  await keep("one more", null);
  await vi.advanceTimersByTimeAsync(0);
  expect([...pushedOut]).toEqual(["unnamed 1"]);
  expect(["unnamed 0", "one more", "token 0", "token 199"].every(connections.has)).toBe(true);
});

// While a connection stayed whose it was at first, a person whose name came late had as many places as tokens.
test("a token gets its person's place as soon as the cluster names them, and keeps it while the cluster doesn't", async () => {
  const { connections, pushedOut, keep } = pool();
  const tokens = Array.from({ length: 9 }, (_, index) => `token ${index}`);
  const opened = [];
  for (const token of tokens) {
    await keep(token, null);
    opened.push({ token, connection: (await connections.get(token)) ?? expect.fail() });
    vi.advanceTimersByTime(4_000);
  }
  for (const person of ["ada", null]) {
    for (const { token, connection } of opened) connections.keep(token, person, connection);
    await vi.advanceTimersByTimeAsync(0);
  }
  expect([...pushedOut]).toEqual(["token 0"]);
  for (let index = 0; index < 32; index++) await keep(`unnamed ${index}`, null);
  for (let index = 1; index < 200; index++) await keep(`of person ${index}`, `person ${index}`);
});
