import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { summarizeCrd } from "#lib/cluster/definitions/summarize-crd.ts";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { countEventStreams, eventStream } from "./event-stream.ts";

const PERSON = { person: "alice", isShared: false };
const ready: ServerEvent = { event: "ready", data: { now: "2026-01-02T12:00:00.000Z" } };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(options: { first?: ServerEvent[] } = {}) {
  const left = new AbortController();
  onTestFinished(() => left.abort());
  const unsubscribe = vi.fn();
  let send: (event: ServerEvent) => void = () => {};
  const response = eventStream(
    new Request("http://localhost/api/events", { signal: left.signal }),
    PERSON,
    async () => true,
    (sender) => {
      send = sender;
      for (const event of options.first ?? []) send(event);
      return unsubscribe;
    },
  );
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!reader) throw new Error("no body");
  return { response, reader, left, unsubscribe, send: (event: ServerEvent) => send(event) };
}

test("the event stream's headers tell proxies not to buffer, change or store it", () => {
  const { headers } = open().response;
  expect(headers.get("content-type")).toBe("text/event-stream");
  expect(headers.get("cache-control")).toBe("no-store, no-transform");
  expect(headers.get("x-accel-buffering")).toBe("no");
});

test("each event is delivered when it is sent, the first one at once", async () => {
  const { reader, send } = open({ first: [ready] });
  expect((await reader.read()).value).toBe('event: ready\ndata: {"now":"2026-01-02T12:00:00.000Z"}\n\n');
  send({ event: "status", data: { stale: true, denied: false, since: null, message: "line one\nline two" } });
  expect((await reader.read()).value).toBe(
    'event: status\ndata: {"stale":true,"denied":false,"since":null,"message":"line one\\nline two"}\n\n',
  );
});

test("a silent event stream sends a heartbeat every 15 seconds", async () => {
  const { reader } = open();
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await reader.read()).value).toBe(": still here\n\n");
});

test("the event stream ends at the next heartbeat for a reader who has lost access", async () => {
  let mayRead = true;
  const unsubscribe = vi.fn();
  const response = eventStream(
    new Request("http://localhost/api/events"),
    PERSON,
    async () => mayRead,
    () => unsubscribe,
  );
  const reader = response.body?.getReader();
  await vi.advanceTimersByTimeAsync(15_000);
  expect((await reader?.read())?.done).toBe(false);
  mayRead = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(await reader?.read()).toMatchObject({ done: true });
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("the event stream ends with its request, and unsubscribes once", async () => {
  const { reader, left, unsubscribe } = open();
  left.abort();
  expect(await reader.read()).toMatchObject({ done: true });
  left.abort();
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("the event stream ends without an error when the reader disconnects", async () => {
  const unsubscribe = vi.fn();
  const { body } = eventStream(
    new Request("http://localhost/api/events"),
    PERSON,
    async () => true,
    () => unsubscribe,
  );
  await expect(body?.cancel()).resolves.toBeUndefined();
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

const MIB = 1024 * 1024;
const large = (size = MIB): ServerEvent => ({
  event: "status",
  data: { stale: true, denied: false, since: null, message: "x".repeat(size) },
});

test("an event is serialized once for all who get it", async () => {
  const readers = [open(), open(), open()];
  const event = large(10);
  const stringify = vi.spyOn(JSON, "stringify");
  for (const { send } of readers) send(event);
  expect(stringify).toHaveBeenCalledTimes(1);
  const texts = await Promise.all(readers.map(async ({ reader }) => (await reader.read()).value));
  expect(new Set(texts)).toEqual(new Set([`event: status\ndata: ${JSON.stringify(event.data)}\n\n`]));
});

test("a reader with 8 MiB of unread events is disconnected", async () => {
  const { reader, send, unsubscribe } = open();
  for (let sent = 0; sent < 7; sent += 1) send(large());
  expect(unsubscribe).not.toHaveBeenCalled();
  for (let sent = 0; sent < 4; sent += 1) send(large());
  expect(unsubscribe).toHaveBeenCalledOnce();
  while (!(await reader.read()).done);
});

// The first list of a fleet comes in one turn of the event loop, in which nobody can read.
test("a reader gets the definitions of a large fleet at once", async () => {
  const { reader, send, unsubscribe } = open();
  for (let index = 0; index < 5_000; index += 1) {
    const crd = sampleCrd({ name: `widgets.g${index}.example.com`, uid: `uid-${index}` });
    send({
      event: "crd",
      data: { type: "upserted", item: summarizeCrd(crd, UNCOUNTED, 0) },
    });
  }
  expect(unsubscribe).not.toHaveBeenCalled();
  let events = 0;
  let chunks = 0;
  for (; events < 5_000; chunks += 1) events += (await reader.read()).value?.match(/^event: crd$/gm)?.length ?? 0;
  // Each takes as long as one event; a thousand readers of one event a chunk hold everybody up (MOST_AT_ONCE in unread-events.ts).
  expect(chunks).toBeLessThan(200);
  send(ready);
  expect((await reader.read()).value).toContain("event: ready");
});

test("all readers together have 64 MiB unread at most, and the slowest goes first", () => {
  const slow = Array.from({ length: 10 }, () => open());
  const [slowest] = slow;
  slowest?.send(large());
  for (const { send } of slow) for (let sent = 0; sent < 6; sent += 1) send(large());
  expect(slowest?.unsubscribe).not.toHaveBeenCalled();
  for (const { send } of slow.slice(1, 6)) send(large());
  expect(slowest?.unsubscribe).toHaveBeenCalledOnce();
  for (const { unsubscribe } of slow.slice(1)) expect(unsubscribe).not.toHaveBeenCalled();
});

test("what many readers of one fleet have unread counts once", () => {
  const readers = Array.from({ length: 30 }, () => open());
  for (let sent = 0; sent < 6; sent += 1) {
    const event = large();
    for (const { send } of readers) send(event);
  }
  for (const { unsubscribe } of readers) expect(unsubscribe).not.toHaveBeenCalled();
});

test("one person has 32 event streams at most, until one ends; another's are not counted", () => {
  const opened = Array.from({ length: 32 }, () => open());
  expect(() => open()).toThrow("You have 32 pages open");
  eventStream(
    new Request("http://localhost/api/events", { signal: AbortSignal.abort() }),
    { ...PERSON, person: "bob" },
    async () => true,
    () => () => {},
  );
  opened[0]?.left.abort();
  expect(() => open()).not.toThrow();
});

test("an event stream for an aborted request unsubscribes at once", () => {
  const unsubscribe = vi.fn();
  eventStream(
    new Request("http://localhost/api/events", { signal: AbortSignal.abort() }),
    PERSON,
    async () => true,
    () => unsubscribe,
  );
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("each event stream is counted until it ends", () => {
  const before = countEventStreams();
  const [one, other] = [open(), open()];
  expect(countEventStreams()).toBe(before + 2);
  one.left.abort();
  one.left.abort();
  other.left.abort();
  expect(countEventStreams()).toBe(before);
});
