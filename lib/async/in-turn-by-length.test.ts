import { setTimeout } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { inTurnByLength, LONG, type NextTurn, TAKES_TIME } from "./in-turn-by-length.ts";

const ofAlice = { kind: "objects", person: "alice" } as const;
const soon = () => AbortSignal.timeout(10_000);

// Where the steps of a long one took their turns with the medium ones, which never wait for a turn, it waited for the end of all of them.
test.each([
  ["a long one beside medium ones", LONG, TAKES_TIME],
  ["a medium one beside long ones", TAKES_TIME, LONG],
])("the steps of work on %s have their turns", async (_, length, otherLength) => {
  const signal = soon();
  const over = new AbortController();
  let others = 0;
  const keepBusy = async () => {
    for (; !over.signal.aborted; others += 1)
      await inTurnByLength({ kind: "objects", person: "bob", length: otherLength }, signal, () => busy());
  };
  const workers = Array.from({ length: 24 }, keepBusy);
  await setTimeout(20);
  const steps: number[] = [];
  await inTurnByLength({ ...ofAlice, length }, signal, async (nextTurn) => {
    for (let step = 0; step < 5; step += 1) {
      await nextTurn();
      steps.push(others);
    }
  });
  over.abort();
  await Promise.all(workers);
  // Of the others' pieces, which take 3 ms, a few in between.
  expect(Math.max(...steps)).toBeLessThan(100);
});

// With a share of each turn of the event loop for each line, each of a rewrite's small steps waits for the pieces of all of them.
test("what others do has as much time as work on texts of all lines together", async () => {
  const signal = soon();
  const over = new AbortController();
  let pieces = 0;
  const keepBusy = async (kind: "answers" | "definitions" | "objects", length: number) => {
    const work = async (nextTurn: NextTurn) => {
      for (let piece = 0; piece < 4; piece += 1) {
        await nextTurn();
        pieces += 1;
        busy();
      }
    };
    while (!over.signal.aborted) await inTurnByLength({ kind, person: "bob", length }, signal, work);
  };
  const kinds = ["answers", "definitions", "objects"] as const;
  const workers = kinds.flatMap((kind) => [keepBusy(kind, TAKES_TIME), keepBusy(kind, LONG)]);
  const steps = 200;
  for (let step = 0; step < steps; step += 1) await setTimeout(1);
  over.abort();
  await Promise.all(workers);
  // Each takes 3 ms, and a step takes one and more.
  expect(pieces).toBeLessThan((steps * 2) / 3);
});

// With the oldest piece first, each medium turn would come after those of all long lines. Of one person, so that only the order decides: of
// two, whoever has had less time goes first, and that is up to the machine.
test("no two long pieces of one person come one after the other while a short one of theirs waits", async () => {
  const signal = soon();
  const pieces: number[] = [];
  const work = (length: number) => async (nextTurn: NextTurn) => {
    for (let piece = 0; piece < 10; piece += 1) {
      await nextTurn();
      pieces.push(length);
      // Longer than a turn.
      for (let part = 0; part < 4; part += 1) busy();
    }
  };
  const kinds = ["answers", "definitions", "objects"] as const;
  const long = kinds.map((kind) => inTurnByLength({ ...ofAlice, kind, length: LONG }, signal, work(LONG)));
  await Promise.all([...long, inTurnByLength({ ...ofAlice, length: TAKES_TIME }, signal, work(TAKES_TIME))]);
  expect(pieces.slice(0, 20).filter((length) => length === TAKES_TIME).length).toBeGreaterThanOrEqual(9);
});

// By item, each of hers waits for one of his of each kind, which takes a hundred times as long. Without yieldsFor (piece-shares.ts) it
// waits for one of his pieces, because she has none to do while her API server answers.
test.each([
  ["one after the other", 1, TAKES_TIME],
  ["side by side", 4, TAKES_TIME],
  // With one place for long texts, each of hers waits for all pieces of one of his.
  ["of long texts", 4, LONG],
])("whoever has short pieces, %s, gets as much time for them as somebody with long ones", async (_, loops, ofHers) => {
  const signal = soon();
  const over = new AbortController();
  const tookMs = { alice: 0, bob: 0 };
  const keepBusy = async (person: "alice" | "bob", length: number, pieceMs: number) => {
    const work = async (nextTurn: NextTurn) => {
      for (let piece = 0; piece < 3; piece += 1) {
        await nextTurn();
        if (over.signal.aborted) return;
        busy(pieceMs);
        tookMs[person] += pieceMs;
      }
    };
    for (; !over.signal.aborted; await setTimeout(1)) await inTurnByLength({ kind: "objects", person, length }, signal, work);
  };
  const hers = Array.from({ length: loops }, () => keepBusy("alice", ofHers, 1));
  const his = [TAKES_TIME, LONG].flatMap((length) => Array.from({ length: 4 }, () => keepBusy("bob", length, 40)));
  await setTimeout(2_000);
  over.abort();
  await Promise.all([...hers, ...his]);
  // It was a fiftieth. Of a third on an idle machine, other processes take some.
  expect(tookMs.alice).toBeGreaterThan(tookMs.bob / 10);
});

// With one place, erin's would end before frank's begins. Without hasPlace (piece-turns.ts), carol's and dave's begin beside them, and fill
// the memory. In the order in which they ask, somebody who had the place for long has it again.
test("two long texts are at work at once, and the next is that of whoever has had least time", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const workOf = (person: string) =>
    inTurnByLength({ kind: "objects", person, length: LONG }, soon(), async () => {
      begun.push(person);
      await released;
    });
  const both = [workOf("erin"), workOf("frank")];
  await vi.waitFor(() => expect(begun).toHaveLength(2), 5_000);
  const next = [workOf("dave"), workOf("carol")];
  await inTurnByLength({ kind: "objects", person: "dave", length: TAKES_TIME }, soon(), () => busy(200));
  // Longer than that keeps others' pieces waiting.
  await setTimeout(300);
  expect(begun).toHaveLength(2);
  release();
  await Promise.all([...both, ...next]);
  expect(begun.slice(2)).toEqual(["carol", "dave"]);
});

test.each([TAKES_TIME, LONG])("work on %i characters that is no longer wanted ends at its next step", async (length) => {
  const unwanted = new AbortController();
  const work = async (nextTurn: NextTurn) => {
    unwanted.abort(new Error("cancelled"));
    await nextTurn();
  };
  await expect(inTurnByLength({ ...ofAlice, length }, unwanted.signal, work)).rejects.toThrow("cancelled");
  // And leaves its place.
  expect(await inTurnByLength({ ...ofAlice, length }, soon(), () => "done")).toBe("done");
});

function busy(ms = 3): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
