import { expect, test, vi } from "vitest";
import { openUnreadEvents } from "./unread-events.ts";

const MIB = 1024 * 1024;

test("what waits is taken together, up to 64 KiB, and what is longer by itself", () => {
  const { add, take, close } = openUnreadEvents(expect.fail);
  const ofBytes = (...all: number[]) => {
    for (const bytes of all) add({ bytes: new Uint8Array(bytes).fill(all.indexOf(bytes)), waiting: 0 });
  };
  ofBytes(100, 30_000, 30_000, 30_000, 100_000, 10);
  const lengths = () => Array.from({ length: 5 }, () => take()?.length);
  expect(lengths()).toEqual([60_100, 30_000, 100_000, 10, undefined]);
  ofBytes(1, 2);
  expect([...(take() ?? [])]).toEqual([0, 1, 1]);
  close();
});

// Without handedOut, each of a thousand readers who read nothing holds 64 KiB that count nowhere.
test("what a reader was handed counts until it asks for more", () => {
  const told = vi.fn();
  const { add, take } = openUnreadEvents(told);
  const message = (bytes: number) => ({ bytes: new Uint8Array(bytes), waiting: 0 });
  add(message(6 * MIB));
  expect(take()).toHaveLength(6 * MIB);
  add(message(MIB));
  expect(told).not.toHaveBeenCalled();
  add(message(2 * MIB));
  expect(told).toHaveBeenCalledOnce();
});

// Without close in overflow (unread-events.ts) a stream that doesn't close its events stays the longest, and the loop never ends.
test("a stream whose events are the longest is told once, whatever it does then, and takes no more", () => {
  const told = vi.fn(() => {
    if (told.mock.calls.length > 1) throw new Error("told again");
  });
  const message = (bytes: number) => ({ bytes: new Uint8Array(bytes), waiting: 0 });
  const longest = openUnreadEvents(told);
  const others = Array.from({ length: 10 }, () => openUnreadEvents(expect.fail));
  longest.add(message(7 * MIB));
  for (const other of others) other.add(message(6 * MIB - 1));
  expect(told).toHaveBeenCalledOnce();
  longest.add(message(8 * MIB));
  expect(longest.take()).toBeNull();
  for (const { take, close } of others) {
    expect(take()).toHaveLength(6 * MIB - 1);
    close();
  }
});
