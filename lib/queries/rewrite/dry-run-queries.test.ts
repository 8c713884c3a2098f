import { expect, it } from "vitest";
import { untilQuiet } from "./dry-run-queries.ts";

const never = new AbortController().signal;

/** Yields `items`, then nothing until aborted. */
async function* thenSilent(items: number[], signal: AbortSignal): AsyncGenerator<number> {
  yield* items;
  signal.throwIfAborted();
  await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

async function collect(source: AsyncIterable<number>): Promise<number[]> {
  const items: number[] = [];
  for await (const item of source) items.push(item);
  return items;
}

it("ends when nothing has come for a while, with what had come", async () => {
  expect(await collect(untilQuiet(20, never, (signal) => thenSilent([1, 2], signal)))).toEqual([1, 2]);
});

it("fails when its reader leaves", async () => {
  const leaving = new AbortController();
  const collected = collect(untilQuiet(10_000, leaving.signal, (signal) => thenSilent([1], signal)));
  leaving.abort(new Error("left"));
  await expect(collected).rejects.toThrow("left");
});

it("passes a failure of the source on", async () => {
  const failing = async function* (): AsyncGenerator<number> {
    yield 1;
    throw new Error("broken");
  };
  await expect(collect(untilQuiet(10_000, never, failing))).rejects.toThrow("broken");
});
