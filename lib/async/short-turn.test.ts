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

const lists = { kind: "lists", person: "alice" } as const;
const compute = (ms: number) => void vi.advanceTimersByTime(ms);

// Where each list has 10 ms of its own (short-turn.ts), sixteen at once hold everyone up for 160 ms.
test("lists at once have 10 ms of a turn together, and take turns", async () => {
  const turn = countTurns();
  const done: { list: number; turn: number }[] = [];
  const LISTS = 16;
  const inTwoSteps = (list: number) =>
    mapInShortTurns(
      [5, 5, 5, 5],
      (ms) => {
        compute(ms);
        done.push({ list, turn: turn() });
      },
      { person: "alice" },
    );
  await Promise.all(Array.from({ length: LISTS }, (_, list) => inTwoSteps(list)));
  const inTurn = [...Map.groupBy(done, (one) => one.turn).values()];
  expect(Math.max(...inTurn.map(({ length }) => length))).toBe(2);
  const order = Array.from({ length: LISTS }, (_, list) => [list, list]).flat();
  expect(done.map(({ list }) => list)).toEqual([...order, ...order]);
});

// With one line for all, 2,000 requests that come in while a list is read come before each 10 ms of it, or wait for all of it.
test("lists and those who ask have every other turn", async () => {
  const order: string[] = [];
  const list = mapInShortTurns(
    Array(4).fill(10),
    (ms) => {
      compute(ms);
      order.push("list");
    },
    { person: "alice" },
  );
  const ask = () =>
    inShortTurn({ kind: "askers", person: "bob" }, () => {
      compute(5);
      order.push("asker");
    });
  await Promise.all([list, ...Array.from({ length: 7 }, ask)]);
  const askers = ["asker", "asker"];
  expect(order).toEqual(["list", ...askers, "list", ...askers, "list", ...askers, "list", "asker"]);
});

// With one line for all lists, whoever asks for sixteen at once leaves everybody else one turn in seventeen.
test("one person's many lists keep nobody else's waiting for longer than one list", async () => {
  const order: string[] = [];
  const list = (person: string) =>
    mapInShortTurns(
      Array(3).fill(person),
      (whose: string) => {
        compute(10);
        order.push(whose);
      },
      { person },
    );
  const many = Array.from({ length: 16 }, () => list("alice"));
  await list("bob");
  expect(order.filter((person) => person === "alice").length).toBeLessThan(9);
  expect(order.filter((person) => person === "bob")).toHaveLength(3);
  await Promise.all(many);
});

test("the list of somebody who has left is not made to its end", async () => {
  const made: number[] = [];
  const left = new AbortController();
  const list = mapInShortTurns(
    [1, 2, 3],
    (item) => {
      compute(10);
      made.push(item);
    },
    { person: "alice", signal: left.signal },
  );
  left.abort(new Error("gone"));
  await expect(list).rejects.toThrow("gone");
  expect(made.length).toBeLessThan(3);
});

test("work that fails keeps nobody from their turn", async () => {
  const fail = () => {
    compute(10);
    throw new Error("broken");
  };
  const [first, second, third] = [inShortTurn(lists, fail), inShortTurn(lists, fail), inShortTurn(lists, () => "done")];
  await expect(first).rejects.toThrow("broken");
  await expect(second).rejects.toThrow("broken");
  expect(await third).toBe("done");
});

test("work that takes less than 10 ms is done at once", () => {
  const results: number[] = [];
  void mapInShortTurns([1, 2, 3], (item) => void results.push(item), { person: "alice" });
  expect(results).toEqual([1, 2, 3]);
});
