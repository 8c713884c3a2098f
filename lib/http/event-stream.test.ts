import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ServerEvent } from "#lib/contract/events.ts";
import { eventStream, eventStreamClients } from "./event-stream.ts";

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
    async () => true,
    () => unsubscribe,
  );
  await expect(body?.cancel()).resolves.toBeUndefined();
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("a reader with ten thousand unread events is disconnected", () => {
  const { send, unsubscribe } = open();
  for (let sent = 0; sent < 10_100; sent++) send(ready);
  expect(unsubscribe).toHaveBeenCalledOnce();
});

test("an event stream for an aborted request unsubscribes at once", () => {
  const unsubscribe = vi.fn();
  eventStream(
    new Request("http://localhost/api/events", { signal: AbortSignal.abort() }),
    async () => true,
    () => unsubscribe,
  );
  expect(unsubscribe).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("each event stream is counted until it ends", () => {
  const { open: before } = eventStreamClients();
  const [one, other] = [open(), open()];
  expect(eventStreamClients().open).toBe(before + 2);
  one.left.abort();
  one.left.abort();
  other.left.abort();
  expect(eventStreamClients().open).toBe(before);
});
