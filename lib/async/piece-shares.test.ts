import { expect, test } from "vitest";
import { charge, hasHardlyAny, mayTakeLast, noteWaiting, type Shares, usedBy, yieldsFor } from "./piece-shares.ts";

const noteActive = (shares: Shares, person: string, now: number) => noteWaiting(shares, person, now)(now);

test("whoever comes begins beside the one who has had least, and not with what they had long ago", () => {
  const shares: Shares = new Map();
  charge(shares, "alice", 100, 0);
  charge(shares, "bob", 250, 10);
  noteActive(shares, "carol", 20);
  expect(usedBy(shares, "carol")).toBe(100);
  charge(shares, "carol", 500, 30);
  charge(shares, "carol", 500, 2_000);
  noteActive(shares, "alice", 2_010);
  expect(usedBy(shares, "carol") - usedBy(shares, "alice")).toBe(0);
});

// Without `waiting` (piece-shares.ts), whoever waits for somebody's long work counts as gone, and what they are owed is forgotten.
test("whoever has waited for long isn't gone", () => {
  const shares: Shares = new Map();
  const endWaiting = noteWaiting(shares, "alice", 0);
  charge(shares, "bob", 100, 100);
  charge(shares, "bob", 100, 2_000);
  endWaiting(2_000);
  charge(shares, "alice", 1, 2_010);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(199);
});

// Without mayTakeLast (piece-shares.ts), two people's long work has both places whenever somebody else has none for some milliseconds.
test("the last place is left for whoever has lately had less", () => {
  const shares: Shares = new Map();
  noteActive(shares, "alice", 0);
  charge(shares, "bob", 90, 100);
  expect(mayTakeLast(shares, 100)("bob")).toBe(true);
  charge(shares, "bob", 90, 200);
  expect([mayTakeLast(shares, 200)("bob"), mayTakeLast(shares, 200)("alice")]).toEqual([false, true]);
  expect(mayTakeLast(shares, 2_000)("bob")).toBe(true);
});

test("nobody is owed more than 300 ms, however long somebody else was alone", () => {
  const shares: Shares = new Map();
  noteActive(shares, "alice", 0);
  for (let at = 0; at < 900; at += 100) charge(shares, "bob", 100, at);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(300);
});

// With 300 ms for everyone, work that takes two seconds has the place six times as long as somebody whose work is short.
test("who waits is owed up to two seconds", () => {
  const shares: Shares = new Map();
  const endWaiting = noteWaiting(shares, "alice", 0);
  for (let at = 0; at < 1_500; at += 100) charge(shares, "bob", 100, at);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(1_500);
  for (let at = 1_500; at < 4_000; at += 100) charge(shares, "bob", 100, at);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(2_000);
  endWaiting(4_000);
});

// With the least alone (newcomers), each of a chain of new identities begins before her, and passes that on to the next.
test("a chain of newcomers doesn't keep somebody waiting for ever", () => {
  const shares: Shares = new Map();
  charge(shares, "bob", 20, 0);
  charge(shares, "alice", 30, 0);
  const endWaiting = noteWaiting(shares, "alice", 0);
  const first = noteWaiting(shares, "n0", 10);
  expect(usedBy(shares, "n0")).toBe(usedBy(shares, "alice"));
  first(20);
  // She has had far more: they come first, but not all of them.
  charge(shares, "alice", 260, 20);
  const levels = Array.from({ length: 5 }, (_, index) => {
    const at = 30 + index * 1_100;
    const end = noteWaiting(shares, `n${index + 1}`, at);
    const level = usedBy(shares, `n${index + 1}`);
    charge(shares, `n${index + 1}`, 10, at + 5);
    end(at + 5);
    return level;
  });
  expect(levels.at(-1)).toBe(usedBy(shares, "alice"));
  endWaiting(6_000);
});

// Otherwise people with long texts, who always wait, are owed two seconds each by somebody whose steps are short.
test("whoever has had hardly any is known, also while others are owed more", () => {
  const shares: Shares = new Map();
  const endWaiting = noteWaiting(shares, "waiting", 0);
  noteActive(shares, "short", 0);
  for (let at = 0; at < 3_000; at += 500) charge(shares, "long", 500, at);
  expect(usedBy(shares, "waiting")).toBeLessThan(usedBy(shares, "short"));
  expect(["short", "waiting", "long"].map((person) => hasHardlyAny(shares, person))).toEqual([true, true, false]);
  endWaiting(3_000);
});

// With what alice had kept, carol would be owed all of it, and have every turn.
test("after a while without pieces, everybody begins anew, whoever comes first", () => {
  const shares: Shares = new Map();
  for (let at = 0; at < 30_000; at += 100) charge(shares, "alice", 100, at);
  noteActive(shares, "carol", 32_000);
  noteActive(shares, "alice", 32_100);
  expect([usedBy(shares, "carol"), usedBy(shares, "alice")]).toEqual([0, 0]);
});

test("who has had more yields for twice what the last piece took, while somebody who has had less may soon ask", () => {
  const shares: Shares = new Map();
  charge(shares, "alice", 1, 0);
  charge(shares, "bob", 50, 50);
  expect(yieldsFor(shares, "bob", 50)).toBe(0);
  noteActive(shares, "alice", 60);
  expect(yieldsFor(shares, "bob", 60)).toBe(20);
  expect(yieldsFor(shares, "alice", 60)).toBe(0);
  noteActive(shares, "alice", 140);
  expect(yieldsFor(shares, "bob", 140)).toBe(10);
  expect(yieldsFor(shares, "bob", 150)).toBe(0);
});

// With a timer after each, somebody with a short piece now and then slowed another's many to a tenth.
test("short pieces yield for what they took together", () => {
  const shares: Shares = new Map();
  noteActive(shares, "alice", 0);
  for (const at of [1, 2, 3]) charge(shares, "bob", 0.5, at);
  expect(yieldsFor(shares, "bob", 3)).toBe(0);
  charge(shares, "bob", 0.5, 4);
  expect(yieldsFor(shares, "bob", 4)).toBe(4);
});
