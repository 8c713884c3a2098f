import { expect, test } from "vitest";
import { charge, noteActive, type Shares, usedBy, yieldsFor } from "./piece-shares.ts";

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

test("nobody is owed more than 300 ms, however long somebody else was alone", () => {
  const shares: Shares = new Map();
  noteActive(shares, "alice", 0);
  for (let at = 0; at < 900; at += 100) charge(shares, "bob", 100, at);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(300);
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
