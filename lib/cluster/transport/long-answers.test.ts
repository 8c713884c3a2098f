import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { LONGEST_TURN, whileWatched } from "#lib/process-wide/testing/longest-turn.ts";
import { inLongAnswersTurn, turnToArrive } from "./long-answers.ts";

const signal = AbortSignal.timeout(60_000);
const connectionOf = (person: string) => ({ person: () => person }) as Connection;

/** The turns that a person gets, one after the other. */
function turnsOf(person: string, asked: number, line: "definitions" | "others" = "others") {
  const turns: (() => void)[] = [];
  for (let count = 0; count < asked; count += 1)
    void turnToArrive(connectionOf(person), line, signal).then(
      (end) => turns.push(end),
      () => {},
    );
  return turns;
}

// All that had arrived waited for their work in memory: 384 objects of a megabyte, from 24 people, took 600 MB.
test("of one person's long answers, four arrive at once, and neither another's nor a definition waits for them", async () => {
  const [alice, bob, definitions] = [turnsOf("alice", 6), turnsOf("bob", 1), turnsOf("alice", 1, "definitions")];
  await setTimeout(0);
  expect([alice.length, bob.length, definitions.length]).toEqual([4, 1, 1]);
  alice[0]?.();
  await setTimeout(0);
  expect(alice).toHaveLength(5);
  for (const end of [...alice, ...bob, ...definitions]) end();
  await setTimeout(0);
  alice.at(-1)?.();
});

// With 128 KiB for TAKES_TIME, all of these are worked on as they arrive, in one turn.
test("work on a hundred texts of 100 KB at once holds nobody up", async () => {
  const text = "x".repeat(100_000);
  const work = () => {
    const before = process.threadCpuUsage();
    for (let used = 0; used < 10_000; ) used = process.threadCpuUsage(before).user;
  };
  const all = () => Promise.all(Array.from({ length: 100 }, () => inLongAnswersTurn(text, connectionOf("alice"), signal, work)));
  expect((await whileWatched(all)).longest).toBeLessThan(LONGEST_TURN);
});

// With one sum for everybody, sixteen reads of alice's kept all others' from arriving.
test("none of whoever has 16 MiB waiting for its work arrives, but another's does", async () => {
  const { promise: worked, resolve: end } = Promise.withResolvers<void>();
  const inMiB = (size: number, person: string) =>
    inLongAnswersTurn("x".repeat(size * 1024 * 1024), connectionOf(person), signal, () => worked);
  const work = [inMiB(17, "alice"), inMiB(17, "alice"), inMiB(1, "bob")];
  const turns = [turnsOf("alice", 1), turnsOf("bob", 1), turnsOf("carol", 1)];
  await setTimeout(50);
  expect(turns.map(({ length }) => length)).toEqual([0, 0, 1]);
  end();
  await Promise.all(work);
  await expect.poll(() => turns.map(({ length }) => length)).toEqual([1, 1, 1]);
  for (const [turn] of turns) turn?.();
});

test("none arrives while texts of 64 MiB wait for their work", async () => {
  const { promise: worked, resolve: end } = Promise.withResolvers<void>();
  const text = "x".repeat(33 * 1024 * 1024);
  const work = ["alice", "bob"].map((person) => inLongAnswersTurn(text, connectionOf(person), signal, () => worked));
  const turns = turnsOf("carol", 1);
  await setTimeout(50);
  expect(turns).toHaveLength(0);
  const leaving = new AbortController();
  const left = turnToArrive(connectionOf("dave"), "others", leaving.signal);
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  end();
  await Promise.all(work);
  await expect.poll(() => turns).toHaveLength(1);
  turns[0]?.();
});
