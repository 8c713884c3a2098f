import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { noteOpenAnswer } from "./open-answers.ts";
import { REQUEST_ID_HEADER } from "./server-headers.ts";
import { streamedAnswer, untilRead } from "./until-read.ts";

const PIECE = 64 * 1024;
const alice = { person: "alice", isShared: false };
const request = { signal: new AbortController().signal, headers: new Headers() };

/** Whether a promise has settled by now. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

test.each([
  ["a short answer", () => new Response("a", { status: 409, headers: { "x-a": "b" } }), 409, "a"],
  ["one without a body", () => new Response(null, { status: 405 }), 405, ""],
  ["a stream", () => streamedAnswer(new Blob(["x".repeat(3 * PIECE)]).stream(), { "x-a": "b" }), 200, "x".repeat(3 * PIECE)],
])("%s stays as it is, and nothing waits for its reader", async (_, response, status, text) => {
  const { answer, read } = await untilRead(response(), alice, request);
  expect(await isOver(read)).toBe(true);
  expect([answer.status, await answer.text()]).toEqual([status, text]);
});

describe("a long answer", () => {
  const text = `${"é".repeat(PIECE)}a`;
  const long = () => untilRead(new Response(text, { status: 201, headers: { "content-type": "text/x" } }), alice, request);

  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("comes whole, in pieces that don't keep it in memory, and is read once its reader asks for more than there is", async () => {
    const { answer, read } = await long();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([201, "text/x"]);
    const reader = answer.body?.getReader();
    const pieces: Uint8Array[] = [];
    for (let piece = 0; piece < 3; piece += 1) pieces.push((await reader?.read())?.value ?? new Uint8Array());
    expect(pieces.map(({ length }) => length)).toEqual([PIECE, PIECE, 1]);
    expect(pieces.map(({ buffer }) => buffer.byteLength)).toEqual([PIECE, PIECE, 1]);
    expect(Buffer.concat(pieces).toString()).toBe(text);
    expect(await isOver(read)).toBe(false);
    expect(await reader?.read()).toMatchObject({ done: true });
    expect(await isOver(read)).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("breaks off if its reader takes nothing for a minute", async () => {
    const { answer, read } = await long();
    const reader = answer.body?.getReader();
    vi.advanceTimersByTime(59_000);
    await reader?.read();
    vi.advanceTimersByTime(59_000);
    expect(await isOver(read)).toBe(false);
    vi.advanceTimersByTime(1_000);
    expect(await isOver(read)).toBe(true);
    await expect(reader?.read()).rejects.toThrow("Nobody reads");
  });

  test("ends with its request, also if that has ended already", async () => {
    const leaving = new AbortController();
    const before = await untilRead(new Response(text), alice, { ...request, signal: leaving.signal });
    leaving.abort();
    const after = await untilRead(new Response(text), alice, { ...request, signal: leaving.signal });
    for (const { answer, read } of [before, after]) {
      expect(await isOver(read)).toBe(true);
      await expect(answer.text()).rejects.toThrow("Nobody reads");
    }
    expect(vi.getTimerCount()).toBe(0);
  });
});

const EIGHT_MIB = 8 * 1024 * 1024;
const hold = (person: string, isShared = false) => untilRead(new Response("x".repeat(EIGHT_MIB)), { person, isShared }, request);

// 24 service accounts that read nothing took 1.2 GB, two of which a pod doesn't have.
test("while all long answers together take 96 MiB, the oldest of whoever has the most breaks off", async () => {
  const bob = await hold("bob");
  const others = [];
  for (const person of ["alice", "carol", "dave"]) for (let count = 0; count < 3; count += 1) others.push(await hold(person));
  const more = [await hold("erin"), await hold("frank")];
  expect(await isOver(bob.read)).toBe(false);
  const last = await hold("gina");
  const ended = await Promise.all(others.map(({ read }) => isOver(read)));
  expect(ended).toEqual([true, ...Array.from({ length: 8 }, () => false)]);
  await expect(others[0]?.answer.text()).rejects.toThrow();
  for (const { answer } of [bob, ...others.slice(1), ...more, last]) expect((await answer.arrayBuffer()).byteLength).toBe(EIGHT_MIB);
});

// Sixteen of 40 MB each were made side by side, before the first of them counted.
test("of one person, an answer is made only once 24 MiB of others are read", async () => {
  const before = [await hold("alice"), await hold("alice"), await hold("alice")];
  let isMade = false;
  const next = hold("alice").then((made) => {
    isMade = true;
    return made;
  });
  await (await hold("bob")).answer.arrayBuffer();
  const short = await untilRead(new Response("{}"), alice, request);
  expect(await short.answer.text()).toBe("{}");
  await setTimeout(200);
  expect(isMade).toBe(false);
  await before[0]?.answer.arrayBuffer();
  for (const { answer } of [...before.slice(1), await next]) await answer.arrayBuffer();
});

test("behind a proxy, whoever waits for that has the slowest of the others broken off after two seconds", async () => {
  const network = "network 192.0.2.1";
  const before = [];
  for (let count = 0; count < 6; count += 1) before.push(await hold(network, true));
  const reader = before[0]?.answer.body?.getReader();
  await reader?.read();
  await setTimeout(2_100);
  await (await hold(network, true)).answer.arrayBuffer();
  expect(await Promise.all(before.map(({ read }) => isOver(read)))).toEqual([false, true, false, false, false, false]);
  await reader?.cancel();
  for (const { answer } of before.slice(2)) await answer.arrayBuffer();
});

test("an answer that waits to be made leaves with its client", async () => {
  const before = [await hold("alice"), await hold("alice"), await hold("alice")];
  const leaving = new AbortController();
  const waits = untilRead(new Response("x".repeat(EIGHT_MIB)), alice, { ...request, signal: leaving.signal });
  leaving.abort(new Error("left"));
  await expect(waits).rejects.toThrow("left");
  for (const { answer } of before) await answer.arrayBuffer();
});

// Next waits for what a reader has not taken, and so keeps the connection, and with it the stream: 600 answers of 2 MB stayed in memory.
test("one that is broken off is in memory no more, though its reader keeps the connection, which ends", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const arrayBuffers = () => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const before = arrayBuffers();
  const leaving = new AbortController();
  const kept: Promise<void>[] = [];
  let ended = 0;
  const forget = noteOpenAnswer("id", () => {
    ended += 1;
  });
  for (let count = 0; count < 24; count += 1) {
    const headers = new Headers({ [REQUEST_ID_HEADER]: "id" });
    const owner = { person: `person ${count % 8}`, isShared: false };
    const { answer } = await untilRead(new Response("x".repeat(EIGHT_MIB)), owner, { headers, signal: leaving.signal });
    // Takes one piece, and never says that it has.
    const stuck = new WritableStream({ write: () => new Promise<void>(() => {}) });
    if (answer.body) kept.push(answer.body.pipeTo(stuck));
  }
  // Node frees them a while after they are collected.
  await expect.poll(() => arrayBuffers() - before, { timeout: 10_000 }).toBeLessThan(120 * 1024 * 1024);
  expect([kept.length, ended]).toEqual([24, 12]);
  leaving.abort();
  forget();
});
