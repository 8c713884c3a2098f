import { expect, test } from "vitest";
import { whichMakesRoom } from "./which-makes-room.ts";

/** "alice" is one at work, "alice…" one that waits. */
function leaving(newcomer: string, ...running: string[]): number | null {
  const all = running.map((name, index) => ({
    person: name.replace("…", ""),
    waitsFor: () => (name.endsWith("…") ? "a webhook" : null),
    index,
  }));
  return whichMakesRoom(newcomer, all)?.index ?? null;
}

test("one at work is ended only for somebody who then has no more than its owner", () => {
  expect(leaving("bob", "alice", "alice")).toBe(1);
  expect(leaving("bob", "alice", "bob", "alice", "alice")).toBe(3);
  expect(leaving("bob", "alice", "bob", "alice")).toBeNull();
  expect(leaving("bob", "alice")).toBeNull();
});

test("one that waits is ended for somebody who has fewer, even if it is the only one of its owner", () => {
  expect(leaving("bob", "alice…")).toBe(0);
  expect(leaving("bob", "carol", "alice…", "dave…")).toBe(1);
  expect(leaving("bob", "alice…", "bob")).toBeNull();
});

test("nobody loses their only one while somebody has several", () => {
  expect(leaving("bob", "alice…", "carol", "carol")).toBe(2);
});

test("it is one of whoever has the most: the oldest that waits, or else the newest", () => {
  expect(leaving("bob", "carol…", "alice", "alice…", "alice…")).toBe(2);
  expect(leaving("bob", "carol", "carol…", "alice", "alice", "alice")).toBe(1);
  expect(leaving("bob", "carol", "carol", "alice", "alice", "alice", "carol", "alice")).toBe(6);
});

test("nobody's own dry run makes room for another one of theirs", () => {
  expect(leaving("alice", "alice…", "alice…", "alice")).toBeNull();
});
