import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { untilAborted } from "#lib/async/until-aborted.ts";
import { AppError } from "#lib/contract/app-error.ts";
import { streamJsonLines } from "./json-lines.ts";
import { noteOpenAnswer } from "./open-answers.ts";
import { REQUEST_ID_HEADER } from "./server-headers.ts";

const url = "http://localhost/api/counts";
const PERSON = { person: "alice", isShared: false };

afterEach(() => void vi.useRealTimers());

async function* threeSteps() {
  yield 1;
  yield 2;
  yield 3;
}

async function* twoThenRefused() {
  yield 1;
  yield 2;
  throw refusal;
}

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
  expect((await streamJsonLines(new Request(url), PERSON, threeSteps)).status).toBe(200);
  await openMany(1, { ...PERSON, person: "bob" });
  await first?.body?.cancel();
  await new Promise(setImmediate);
  await openMany(1);
  await expect(lines(noting)).rejects.toMatchObject(refused);
});

// Those of one network could keep everybody else's pages without progress, for hours.
test("of those who share crdshift's own account, a network has 16, and each leaves as many free as it has", async () => {
  const of = (network: string) => ({ person: network, isShared: true });
  for (const [network, most] of [
    ["a", 16],
    ["b", 8],
    ["c", 4],
    ["d", 2],
    ["e", 1],
  ] as const) {
    await openMany(most, of(network));
    await expect(lines(endless, of(network))).rejects.toMatchObject({ ...refused, message: expect.stringMatching(`^${most} of your`) });
  }
  await openMany(1, of("f"));
  await expect(lines(endless, of("g"))).rejects.toMatchObject({ code: "too_many_requests", message: expect.stringContaining("Other") });
});

const waiting = async function* (signal: AbortSignal) {
  yield 1;
  await untilAborted(new Promise(() => {}), signal);
};

test.each<[string, () => Promise<unknown>]>([
  ["are read to the end", async () => (await lines(threeSteps)).text()],
  ["fail before the first line", async () => expect(lines(refusedAtOnce)).rejects.toThrow(refusal)],
  ["fail after it", async () => (await lines(twoThenRefused)).text()],
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
const refusedAtOnce = async function* () {
  yield await Promise.reject<number>(refusal);
};
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
  await vi.advanceTimersByTimeAsync(10_000);
  expect(vi.getTimerCount()).toBe(0);
  await openMany(8);
  const texts = (await unread[0]?.text())
    ?.trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(texts).toEqual([{ error: expect.objectContaining({ message: expect.stringContaining("5 minutes") }) }]);
});

// Taken for read as soon as it was sent, the last line of each of 2,000 streams waited in memory, and none of them counted.
test("one whose last line is not read counts, and ends with its connection five minutes later", async () => {
  vi.useFakeTimers();
  const end = vi.fn();
  const headers = { accept: "application/x-ndjson", [REQUEST_ID_HEADER]: "unread" };
  const forget = noteOpenAnswer("unread", end);
  const once = async function* () {
    yield "x".repeat(100_000);
  };
  const opened = await Promise.all(
    Array.from({ length: 8 }, () => streamJsonLines(new Request(url, { headers }), PERSON, once, async () => null)),
  );
  const readers = opened.map(({ body }) => body?.getReader());
  for (const reader of readers) await reader?.read();
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(lines(threeSteps)).rejects.toMatchObject(refused);
  await vi.advanceTimersByTimeAsync(310_000);
  expect(end).toHaveBeenCalledTimes(8);
  await openMany(8);
  forget();
});

test("long lines that nobody reads count among the answers that take memory", async () => {
  const long = async function* () {
    yield "x".repeat(13 * 1024 * 1024);
    yield "end";
  };
  const readers = [];
  for (const person of ["a", "b"]) {
    for (let count = 0; count < 4; count += 1) {
      const { body } = await lines(long, { person, isShared: false });
      readers.push(body?.getReader());
      await readers.at(-1)?.read();
    }
  }
  // 8 x 13 MiB are more than 96.
  await expect(readers[0]?.read()).rejects.toThrow("Nobody reads");
  expect(new TextDecoder().decode((await readers[1]?.read())?.value)).toBe('"end"\n');
  for (const reader of readers.slice(1)) await reader?.cancel();
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
