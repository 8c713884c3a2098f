import { describe, expect, test } from "vitest";
import { forEachConcurrently } from "./for-each-concurrently.ts";

const never = new AbortController().signal;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("every item is processed once, at any concurrency", async () => {
  for (const concurrency of [1, 3, 100]) {
    const seen: number[] = [];
    await forEachConcurrently(numbers(50), { concurrency, signal: never }, async (item) => void seen.push(item));
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers(50));
  }
});

test("as many items as allowed are in progress at once, and never more", async () => {
  let atWork = 0;
  let most = 0;
  await forEachConcurrently(numbers(30), { concurrency: 4, signal: never }, async () => {
    atWork += 1;
    most = Math.max(most, atWork);
    await new Promise(setImmediate);
    atWork -= 1;
  });
  expect(most).toBe(4);
});

test("the next page is fetched only once the last item of the previous page is in progress", async () => {
  let taken = 0;
  const items = (async function* () {
    for (const item of numbers(10)) {
      taken += 1;
      yield item;
    }
  })();
  const gates = numbers(10).map(() => Promise.withResolvers<void>());
  const done = forEachConcurrently(items, { concurrency: 2, signal: never }, (item) => gates[item]?.promise ?? Promise.resolve());
  await new Promise(setImmediate);
  expect(taken).toBe(2);
  for (const gate of gates) gate.resolve();
  await done;
  expect(taken).toBe(10);
});

describe("an error in a concurrent loop", () => {
  test("stops the remaining items, and is thrown once the running ones have ended", async () => {
    const slow = Promise.withResolvers<void>();
    const ended: number[] = [];
    const done = forEachConcurrently(numbers(100), { concurrency: 2, signal: never }, async (item) => {
      if (item === 1) throw new Error("item 1");
      await slow.promise;
      ended.push(item);
    });
    const settled = done.then(
      () => "done",
      (error: Error) => `${error.message}, after ${ended.join()}`,
    );
    await new Promise(setImmediate);
    slow.resolve();
    expect(await settled).toBe("item 1, after 0");
  });

  test("is thrown instead of a later one", async () => {
    const first = Promise.withResolvers<void>();
    const done = forEachConcurrently(numbers(2), { concurrency: 2, signal: never }, async (item) => {
      if (item === 1) throw new Error("first");
      await first.promise;
      throw new Error("second");
    });
    await new Promise(setImmediate);
    first.resolve();
    await expect(done).rejects.toThrow("first");
  });

  test("from the source of the items is thrown, and the source is closed", async () => {
    let closed = false;
    const items = (async function* () {
      try {
        yield 1;
        throw new Error("the list failed");
      } finally {
        closed = true;
      }
    })();
    await expect(forEachConcurrently(items, { concurrency: 3, signal: never }, async () => {})).rejects.toThrow("the list failed");
    expect(closed).toBe(true);
  });

  test("closes the source, so that no more items are made", async () => {
    let closed = false;
    const items = (async function* () {
      try {
        for (;;) yield 1;
      } finally {
        closed = true;
      }
    })();
    const done = forEachConcurrently(items, { concurrency: 2, signal: never }, async () => {
      throw new Error("no");
    });
    await expect(done).rejects.toThrow("no");
    expect(closed).toBe(true);
  });
});

test("an abort ends the loop with the signal's reason, before the next item starts", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const done = forEachConcurrently(numbers(100), { concurrency: 1, signal: stop.signal }, async (item) => {
    seen.push(item);
    if (item === 2) stop.abort(new Error("cancelled"));
  });
  await expect(done).rejects.toThrow("cancelled");
  expect(seen).toEqual([0, 1, 2]);
});
