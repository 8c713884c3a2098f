import { expect, test } from "vitest";
import { createRoom } from "./create-room.ts";

const signal = AbortSignal.timeout(10_000);

test("what is at work stays within the limit, and what is larger has it to itself", async () => {
  const room = createRoom(10);
  const begun: number[] = [];
  const begin = (size: number) => room.take(size, signal).then(() => begun.push(size));
  await Promise.all([begin(6), begin(4)]);
  const large = begin(20);
  await Promise.resolve();
  room.give(6);
  await Promise.resolve();
  expect(begun).toEqual([6, 4]);
  room.give(4);
  await large;
  const small = begin(1);
  await Promise.resolve();
  expect(begun).toEqual([6, 4, 20]);
  room.give(20);
  await small;
});

test("whoever no longer wants it stops waiting", async () => {
  const room = createRoom(1);
  await room.take(1, signal);
  const unwanted = new AbortController();
  const waiting = room.take(1, unwanted.signal);
  unwanted.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
});
