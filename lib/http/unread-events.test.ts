import { expect, test, vi } from "vitest";
import { openUnreadEvents } from "./unread-events.ts";

const MIB = 1024 * 1024;

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
