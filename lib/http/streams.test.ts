import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { summarizeCrd } from "#lib/cluster/definitions/summarize-crd.ts";
import { UNCOUNTED } from "#lib/cluster/objects/object-totals.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { ServerEvent } from "#lib/contract/events.ts";
import { sampleCrd } from "#lib/domain/definition/sample-crd.ts";
import { publicRoute } from "./signed-in-route.ts";
import { countEventStreams, eventStream, streamJsonLines } from "./streams.ts";

const url = "http://localhost/api/counts";
const PERSON = { person: "alice", isShared: false };
const asking = (accept: string) => new Request(url, { headers: { accept } });

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function* threeSteps() {
  yield { scanned: 1 };
  yield { scanned: 2 };
  yield { scanned: 3 };
}

test("a client that doesn't ask for lines gets the last step as one JSON answer", async () => {
  const response = await streamJsonLines(asking("application/json"), PERSON, threeSteps);
  expect(response.headers.get("content-type")).toContain("application/json");
  expect(await response.json()).toEqual({ scanned: 3 });
});

test("a client that asks for lines gets one line for each step", async () => {
  const response = await streamJsonLines(asking("application/x-ndjson, application/json;q=0.5"), PERSON, threeSteps);
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  expect(response.headers.get("cache-control")).toContain("no-transform");
  expect(await response.text()).toBe('{"scanned":1}\n{"scanned":2}\n{"scanned":3}\n');
});

test("the next step is produced only as fast as the client reads", async () => {
  let made = 0;
  const endless = async function* () {
    for (;;) yield ++made;
  };
  const response = await streamJsonLines(asking("application/x-ndjson"), PERSON, endless);
  const reader = response.body?.getReader();
  await reader?.read();
  await new Promise(setImmediate);
  expect(made).toBeLessThanOrEqual(3);
  await reader?.cancel();
});

test("the work stops without a logged error when the client disconnects", async () => {
  const stopped = Promise.withResolvers<void>();
  const waiting = async function* (signal: AbortSignal) {
    signal.addEventListener("abort", () => stopped.resolve());
    yield { scanned: 1 };
    await untilAborted(new Promise(() => {}), signal);
  };
  const logged = vi.spyOn(console, "error");
  const response = await streamJsonLines(asking("application/x-ndjson"), PERSON, waiting);
  const reader = response.body?.getReader();
  await reader?.read();
  await new Promise(setImmediate);
  await reader?.cancel();
  await stopped.promise;
  await new Promise(setImmediate);
  expect(logged).not.toHaveBeenCalled();
});

function failing(after: number, error: Error) {
  return async function* () {
    for (let scanned = 1; scanned <= after; scanned++) yield { scanned };
    throw error;
  };
}

const refused = new AppError("precondition_failed", "A run is at work.", { nextStep: "Wait for its end." });

test("a failure before the first line is answered with its status", async () => {
  for (const accept of ["application/x-ndjson", "application/json"]) {
    const response = await publicRoute(({ request }) => streamJsonLines(request, PERSON, failing(0, refused)))(asking(accept), {
      params: Promise.resolve({}),
    });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ error: { code: "precondition_failed", nextStep: "Wait for its end." } });
  }
});

test("a failure after the first line becomes the last line, without details that belong only in the log", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  for (const [error, code] of [
    [refused, "precondition_failed"],
    [new Error("a secret"), "internal"],
  ] as const) {
    const text = await (await streamJsonLines(asking("application/x-ndjson"), PERSON, failing(1, error))).text();
    const [first, last, ...more] = text.split("\n");
    expect([first, ...more]).toEqual(['{"scanned":1}', ""]);
    expect(JSON.parse(last ?? "")).toMatchObject({ error: { code } });
    expect(text).not.toContain("secret");
  }
});

test("the lines end within 15 seconds of a sign-out, and the last one says why", async () => {
  vi.useFakeTimers();
  let end: AppError | null = null;
  const endless = async function* (signal: AbortSignal) {
    for (let scanned = 0; ; scanned++) {
      await untilAborted(new Promise((resolve) => setTimeout(resolve, 1_000)), signal);
      yield { scanned };
    }
  };
  const texts: string[] = [];
  const response = streamJsonLines(asking("application/x-ndjson"), PERSON, endless, async () => end);
  const isRead = response.then(async ({ body }) => {
    for await (const bytes of body ?? []) texts.push(Buffer.from(bytes).toString());
  });
  const alone = expect(streamJsonLines(asking("application/json"), PERSON, endless, async () => end)).rejects.toThrow(
    "You are signed out.",
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(texts.length).toBeGreaterThan(50);
  end = new AppError("unauthenticated", "You are signed out.", { nextStep: "Sign in." });
  await vi.advanceTimersByTimeAsync(16_000);
  await Promise.all([isRead, alone]);
  expect(texts.at(-1)).toContain('"code":"unauthenticated"');
  expect(vi.getTimerCount()).toBe(0);
});

test("access is no longer checked once the client has disconnected", async () => {
  vi.useFakeTimers();
  const response = await streamJsonLines(asking("application/x-ndjson"), PERSON, threeSteps);
  const reader = response.body?.getReader();
  await reader?.read();
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  await reader?.cancel();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
});

describe("open streams of lines", () => {
  const lines = (steps: (signal: AbortSignal) => AsyncGenerator<unknown>, owner = PERSON, signal?: AbortSignal) =>
    streamJsonLines(
      new Request(url, { headers: { accept: "application/x-ndjson" }, signal: signal ?? null }),
      owner,
      steps,
      async () => null,
    );
  async function* endless(): AsyncGenerator<number> {
    for (let made = 0; ; made += 1) yield made;
  }
  const openMany = async (count: number, owner = PERSON) => {
    const opened = await Promise.all(Array.from({ length: count }, () => lines(endless, owner)));
    onTestFinished(async () => void (await Promise.all(opened.map(({ body }) => body?.cancel()))));
    return opened;
  };
  const refused = { code: "too_many_requests", nextStep: expect.stringContaining("Wait until one ends") };

  test("one person has 8 at most, whether they are read or not; another's and whole answers are not counted", async () => {
    const [first] = await openMany(8);
    let began = false;
    const noting = async function* () {
      began = true;
      yield 1;
    };
    await expect(lines(noting)).rejects.toMatchObject(refused);
    expect(began).toBe(false);
    expect((await streamJsonLines(asking("application/json"), PERSON, threeSteps)).status).toBe(200);
    await openMany(1, { ...PERSON, person: "bob" });
    await first?.body?.cancel();
    await new Promise(setImmediate);
    await openMany(1);
    await expect(lines(noting)).rejects.toMatchObject(refused);
  });

  test("those who share crdshift's own account have 64", async () => {
    const everyone = { person: "own", isShared: true };
    await openMany(64, everyone);
    await expect(lines(endless, everyone)).rejects.toMatchObject(refused);
  });

  const waiting = async function* (signal: AbortSignal) {
    yield 1;
    await untilAborted(new Promise(() => {}), signal);
  };

  test.each<[string, () => Promise<unknown>]>([
    ["are read to the end", async () => (await lines(threeSteps)).text()],
    ["fail before the first line", async () => expect(lines(failing(0, refusal))).rejects.toThrow(refusal)],
    ["fail after it", async () => (await lines(failing(2, refusal))).text()],
    ["are left while a line is made", async () => leave(await lines(waiting), 1)],
    ["are left between two lines", async () => leave(await lines(endless), 3)],
    ["are left unread", async () => leave(await lines(endless), 0)],
    ["are of a request that ends", () => abort(endless)],
    ["are of a request that ends before the first line", () => abort(neverBegun)],
    ["are of a request that has ended", () => lines(endless, PERSON, AbortSignal.abort(refusal)).catch(() => {})],
  ])("they are counted only until they end: those that %s", async (_, openAndEnd) => {
    for (let ended = 0; ended < 10; ended += 1) {
      await openAndEnd();
      await new Promise(setImmediate);
    }
    await openMany(8);
  });

  const refusal = new AppError("precondition_failed", "A run is at work.", { nextStep: "Wait for its end." });
  const neverBegun = async function* (signal: AbortSignal) {
    yield await untilAborted(new Promise<number>(() => {}), signal);
  };
  async function leave({ body }: Response, after: number) {
    const reader = body?.getReader();
    for (let read = 0; read < after; read += 1) await reader?.read();
    await reader?.cancel();
  }
  async function abort(steps: Parameters<typeof lines>[0]) {
    const left = new AbortController();
    const opened = lines(steps, PERSON, left.signal).catch(() => {});
    await new Promise(setImmediate);
    left.abort();
    await opened;
  }

  test("one that nobody reads for five minutes ends, and so does its work; the last line says why", async () => {
    vi.useFakeTimers();
    const ended = vi.fn();
    const counting = async function* () {
      try {
        yield* endless();
      } finally {
        ended();
      }
    };
    const unread = await Promise.all(Array.from({ length: 8 }, () => lines(counting)));
    await vi.advanceTimersByTimeAsync(299_000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended).toHaveBeenCalledTimes(8);
    expect(vi.getTimerCount()).toBe(0);
    await openMany(8);
    const texts = (await unread[0]?.text())
      ?.trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(texts).toEqual([0, { error: expect.objectContaining({ message: expect.stringContaining("5 minutes") }) }]);
  });

  test("a slow reader gets every line, however long each takes", async () => {
    vi.useFakeTimers();
    const slow = async function* () {
      for (let made = 1; made <= 3; made += 1) {
        await new Promise((resolve) => setTimeout(resolve, 600_000));
        yield made;
      }
    };
    const opening = lines(slow);
    await vi.advanceTimersByTimeAsync(600_000);
    const reader = (await opening).body?.pipeThrough(new TextDecoderStream()).getReader();
    const texts: (string | undefined)[] = [];
    for (let read = 0; read < 4; read += 1) {
      const line = reader?.read();
      await vi.advanceTimersByTimeAsync(600_000);
      texts.push((await line)?.value);
      await vi.advanceTimersByTimeAsync(240_000);
    }
    expect(texts).toEqual(["1\n", "2\n", "3\n", undefined]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("server-sent events", () => {
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
    for (let index = 0; index < 5_000; index += 1) await reader.read();
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
});
