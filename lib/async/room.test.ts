import { expect, test } from "vitest";
import { room } from "./room.ts";

const never = new AbortController().signal;

test("what doesn't fit waits until enough is given back, in turn", async () => {
  const { take } = room(10);
  const entered: string[] = [];
  const enter = (name: string, much: number) =>
    take(much, never).then((taken) => {
      entered.push(name);
      return taken;
    });
  const first = await enter("first", 6);
  const second = enter("second", 6);
  const third = enter("third", 1);
  await Promise.resolve();
  expect(entered).toEqual(["first"]);
  first.leave();
  await Promise.all([second, third]);
  expect(entered).toEqual(["first", "second", "third"]);
});

test("what is larger than all of it gets all of it, and alone", async () => {
  const { take } = room(10);
  const large = await take(1_000, never);
  let isIn = false;
  const small = take(1, never).then(() => {
    isIn = true;
  });
  await Promise.resolve();
  expect(isIn).toBe(false);
  large.leave();
  large.leave();
  await small;
  expect(isIn).toBe(true);
});

test("one that gives up lets those behind it in, and what is given back twice counts once", async () => {
  const { take } = room(10);
  const held = await take(8, never);
  const leaving = new AbortController();
  const given = take(9, leaving.signal);
  const behind = take(2, never);
  leaving.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  await behind;
  held.leave();
  held.leave();
  await take(8, never);
  let isIn = false;
  take(1, never).then(() => {
    isIn = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isIn).toBe(false);
  await expect(take(1, AbortSignal.abort(new Error("late"))), "an aborted one").rejects.toThrow("late");
});
