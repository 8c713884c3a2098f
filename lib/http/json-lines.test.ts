import { afterEach, expect, test, vi } from "vitest";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { streamJsonLines } from "./json-lines.ts";
import { publicRoute } from "./public-route.ts";

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

// Made for each, the lines of sixteen people's dry runs with eight readers each take a second of turns.
test("a step that many readers get is made into a line once", async () => {
  let made = 0;
  const step = {
    toJSON() {
      made += 1;
      return { scanned: 1 };
    },
  };
  const read = async () => {
    const response = await streamJsonLines(asking("application/x-ndjson"), PERSON, async function* () {
      yield step;
    });
    const reader = response.body?.getReader();
    return (await reader?.read())?.value;
  };
  const lines = [await read(), await read()];
  expect(lines.map((line) => new TextDecoder().decode(line))).toEqual(Array(2).fill('{"scanned":1}\n'));
  expect(made).toBe(1);
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
