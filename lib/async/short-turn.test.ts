import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { mapInShortTurns } from "./map-in-short-turns.ts";
import { inShortTurn } from "./short-turn.ts";
import { countTurns } from "./testing/count-turns.ts";

beforeEach(async () => {
  // What another test began has ended by then.
  await nextTurn();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

const compute = (ms: number) => void vi.advanceTimersByTime(ms);

// Where each list has 10 ms of its own (short-turn.ts), sixteen at once hold everyone up for 160 ms.
test("lists at once have 10 ms of a turn together, and take turns", async () => {
  const turn = countTurns();
  const done: { list: number; turn: number }[] = [];
  const LISTS = 16;
  const inTwoSteps = (list: number) =>
    mapInShortTurns([5, 5, 5, 5], (ms) => {
      compute(ms);
      done.push({ list, turn: turn() });
    });
  await Promise.all(Array.from({ length: LISTS }, (_, list) => inTwoSteps(list)));
  const inTurn = [...Map.groupBy(done, (one) => one.turn).values()];
  expect(Math.max(...inTurn.map(({ length }) => length))).toBe(2);
  const order = Array.from({ length: LISTS }, (_, list) => [list, list]).flat();
  expect(done.map(({ list }) => list)).toEqual([...order, ...order]);
});

// With one line for all, 2,000 requests that come in while a list is read come before each 10 ms of it, or wait for all of it.
test("lists and those who ask have every other turn", async () => {
  const order: string[] = [];
  const list = mapInShortTurns(Array(4).fill(10), (ms) => {
    compute(ms);
    order.push("list");
  });
  const ask = () =>
    inShortTurn("askers", () => {
      compute(5);
      order.push("asker");
    });
  await Promise.all([list, ...Array.from({ length: 7 }, ask)]);
  const askers = ["asker", "asker"];
  expect(order).toEqual(["list", ...askers, "list", ...askers, "list", ...askers, "list", "asker"]);
});

test("work that fails keeps nobody from their turn", async () => {
  const fail = () => {
    compute(10);
    throw new Error("broken");
  };
  const [first, second, third] = [inShortTurn("lists", fail), inShortTurn("lists", fail), inShortTurn("lists", () => "done")];
  await expect(first).rejects.toThrow("broken");
  await expect(second).rejects.toThrow("broken");
  expect(await third).toBe("done");
});

test("work that takes less than 10 ms is done at once", () => {
  const results: number[] = [];
  void mapInShortTurns([1, 2, 3], (item) => void results.push(item));
  expect(results).toEqual([1, 2, 3]);
});
