import { describe, expect, test } from "vitest";
import { forEachConcurrently } from "./for-each-concurrently.ts";

const never = new AbortController().signal;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test("works on every item once, whatever the concurrency", async () => {
  for (const concurrency of [1, 3, 100]) {
    const seen: number[] = [];
    await forEachConcurrently(numbers(50), { concurrency, signal: never }, async (item) => void seen.push(item));
    expect(seen.toSorted((a, b) => a - b)).toEqual(numbers(50));
  }
});

test("runs as many at once as allowed, and never more", async () => {
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

test("takes items only when a slot is free: a page is not fetched before the last one is in progress", async () => {
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

describe("an error", () => {
  test("of one item stops the rest and is thrown once the running calls have ended", async () => {
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

  test("is thrown if it came first", async () => {
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

  test("of the items themselves is thrown, and the items are closed", async () => {
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

  test("closes the items that were not taken", async () => {
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

test("an abort stops it with the signal's reason, before the next item", async () => {
  const stop = new AbortController();
  const seen: number[] = [];
  const done = forEachConcurrently(numbers(100), { concurrency: 1, signal: stop.signal }, async (item) => {
    seen.push(item);
    if (item === 2) stop.abort(new Error("cancelled"));
  });
  await expect(done).rejects.toThrow("cancelled");
  expect(seen).toEqual([0, 1, 2]);
});
