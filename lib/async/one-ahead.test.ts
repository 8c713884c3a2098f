import { expect, test, vi } from "vitest";
import { oneAhead } from "./one-ahead.ts";

async function* numbers(asked: number[], ended = () => {}): AsyncGenerator<number> {
  try {
    for (let number = 1; number <= 3; number += 1) {
      asked.push(number);
      yield number;
    }
  } finally {
    ended();
  }
}

test("items come in order, each requested while the previous one is still in use", async () => {
  const asked: number[] = [];
  const seen: [number, number][] = [];
  for await (const number of oneAhead(numbers(asked))) seen.push([number, asked.length]);
  expect(seen).toEqual([
    [1, 2],
    [2, 3],
    [3, 3],
  ]);
});

test("an error in the source is thrown only when its turn comes", async () => {
  async function* failing() {
    yield 1;
    throw new Error("the second failed");
  }
  const items = oneAhead(failing());
  expect(await items.next()).toEqual({ done: false, value: 1 });
  await expect(items.next()).rejects.toThrow("the second failed");
});

test("the source ends when the reader stops early", async () => {
  const ended = vi.fn();
  for await (const number of oneAhead(numbers([], ended))) if (number === 1) break;
  expect(ended).toHaveBeenCalledOnce();
});
