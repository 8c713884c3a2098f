import { expect, test } from "vitest";
import { charge, noteActive, type Shares, usedBy, yieldsFor } from "./piece-shares.ts";

test("whoever comes begins beside the one who has had least, and not with what they had long ago", () => {
  const shares: Shares = new Map();
  charge(shares, "alice", 100, 0);
  charge(shares, "bob", 250, 10);
  noteActive(shares, "carol", 20);
  expect(usedBy(shares, "carol")).toBe(100);
  charge(shares, "carol", 500, 30);
  noteActive(shares, "alice", 5_000);
  expect(usedBy(shares, "alice")).toBe(300);
});

test("nobody is owed more than 300 ms, however long somebody else was alone", () => {
  const shares: Shares = new Map();
  noteActive(shares, "alice", 0);
  for (let at = 0; at < 900; at += 100) charge(shares, "bob", 100, at);
  expect(usedBy(shares, "bob") - usedBy(shares, "alice")).toBe(300);
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
