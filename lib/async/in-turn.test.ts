import { expect, test, vi } from "vitest";
import { inTurn, noTurns } from "./in-turn.ts";

const signal = new AbortController().signal;

// Where the first line gets each place that frees until its own work ends, four people with slow work keep all others waiting.
test("places that free go round: nobody begins a second piece of work before everyone has begun one", async () => {
  const turns = noTurns(2);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (person: string) => {
    const work = async () => {
      begun.push(person);
      await new Promise<void>((resolve) => ends.push(resolve));
    };
    void inTurn(turns, { person, mostAtWork: 2 }, signal, work);
  };
  for (const person of ["a", "a", "a", "a", "b", "b", "c"]) ask(person);
  await vi.waitFor(() => expect(begun).toEqual(["a", "a"]));
  for (let index = 0; index < 5; index++) {
    ends[index]?.();
    await vi.waitFor(() => expect(begun).toHaveLength(3 + index));
  }
  expect(begun).toEqual(["a", "a", "b", "c", "a", "b", "a"]);
});
