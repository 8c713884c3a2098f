import { expect, onTestFinished, test, vi } from "vitest";
import { attachment } from "./attachment.ts";

const request = { signal: new AbortController().signal, headers: new Headers() };
const PERSON = { person: "alice", isShared: false };
const file = { name: "a.json", type: "application/json" };

async function* pieces(texts: string[], failure?: Error) {
  for (const text of texts) yield new TextEncoder().encode(text);
  if (failure) throw failure;
}

test("is the pieces in order, to be saved under a name that can't end the header", async () => {
  const odd = await attachment(request, PERSON, { ...file, name: `a"b\r\nset-cookie: c='ü(*)` }, () => pieces(["a", "b"]));
  expect(await odd.text()).toBe("ab");
  expect(odd.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''a%22b%0D%0Aset-cookie%3A%20c%3D%27%C3%BC%28%2a%29");
  expect(odd.headers.get("cache-control")).toContain("no-store");
});

test("fails as a whole before the first piece, and breaks off after it", async () => {
  await expect(attachment(request, PERSON, file, () => pieces([], new Error("gone")))).rejects.toThrow("gone");
  const broken = await attachment(request, PERSON, file, () => pieces(["a"], new Error("cut")));
  await expect(broken.text()).rejects.toThrow("cut");
});

test("an empty one ends", async () => {
  expect(await (await attachment(request, PERSON, file, () => pieces([]))).text()).toBe("");
});

test("is read no faster than it is taken, and ends when the reader leaves", async () => {
  let taken = 0;
  let told: AbortSignal | undefined;
  const endless = async function* (signal: AbortSignal) {
    told = signal;
    for (;;) {
      taken += 1;
      yield new Uint8Array(1);
    }
  };
  const { body } = await attachment(request, PERSON, file, endless);
  const reader = body?.getReader();
  await reader?.read();
  expect(taken).toBeLessThan(4);
  await reader?.cancel();
  expect(told?.aborted).toBe(true);
});

async function* endlessly() {
  for (;;) yield new Uint8Array(1);
}

// Forty of each of a person's tokens, as many as they like, each held a socket and a quarter of a megabyte for good.
test("one person has 8 at most, until one ends, whichever way; another's are not counted", async () => {
  const leaving = new AbortController();
  const first = await attachment({ ...request, signal: leaving.signal }, PERSON, file, endlessly);
  const finite = await attachment(request, PERSON, file, () => pieces(["a"]));
  const broken = await attachment(request, PERSON, file, () => pieces(["a"], new Error("cut")));
  const others = await Promise.all(Array.from({ length: 5 }, () => attachment(request, PERSON, file, endlessly)));
  const open = () => attachment(request, PERSON, file, endlessly);
  await expect(open()).rejects.toMatchObject({ code: "too_many_requests" });
  const bobs = await attachment(request, { ...PERSON, person: "bob" }, file, endlessly);
  leaving.abort();
  others.push(await open());
  await expect(open()).rejects.toThrow("8 of your downloads");
  await finite.text();
  others.push(await open());
  await expect(open()).rejects.toThrow();
  await expect(broken.text()).rejects.toThrow();
  others.push(await open());
  await expect(open()).rejects.toThrow();
  await others[0]?.body?.cancel();
  await expect(attachment(request, PERSON, file, () => pieces([], new Error("gone")))).rejects.toThrow("gone");
  others.push(await open());
  for (const { body } of [first, bobs, ...others.slice(1)]) await body?.cancel();
});

test("one that nobody reads for five minutes ends", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let told: AbortSignal | undefined;
  const { body } = await attachment(request, PERSON, file, (signal) => {
    told = signal;
    return endlessly();
  });
  const reader = body?.getReader();
  await vi.advanceTimersByTimeAsync(290_000);
  await reader?.read();
  await vi.advanceTimersByTimeAsync(290_000);
  expect(told?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told?.aborted).toBe(true);
  await expect(reader?.read()).rejects.toThrow("Nobody has read this file");
  expect(vi.getTimerCount()).toBe(0);
});
