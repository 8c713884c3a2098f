import { expect, test } from "vitest";
import { unconfirmedWrites } from "./unconfirmed-writes.ts";

// Where a reading confirms what ended after it was sent, a write that met the new spec is taken for confirmed.
test("a reading confirms only the writes that had ended before it was sent", () => {
  const writes = unconfirmedWrites();
  const [before, across, after] = [writes.begin(), writes.begin(), writes.begin()];
  before.sent();
  across.sent();
  before.ended("written");
  expect(writes.objects()).toBe(2);
  const confirmed = writes.reading();
  across.ended("written");
  after.sent();
  confirmed();
  expect(writes.objects()).toBe(2);
  after.ended("written");
  writes.reading()();
  expect(writes.objects()).toBe(0);
});

// Where `ended` counts each object, the sentence at a run's end names objects that nothing has changed.
test("an object that was not changed, or for which nothing was sent, does not count", () => {
  const writes = unconfirmedWrites();
  const [current, waiting] = [writes.begin(), writes.begin()];
  current.sent();
  current.sent();
  expect(writes.objects()).toBe(1);
  current.ended("unchanged");
  waiting.ended("written");
  expect(writes.objects()).toBe(0);
});

// Without the maximum, an answer that comes late takes back what a later reading confirmed.
test("readings may be answered in any order", () => {
  const writes = unconfirmedWrites();
  const earlier = writes.reading();
  const write = writes.begin();
  write.sent();
  write.ended("written");
  writes.reading()();
  earlier();
  expect(writes.objects()).toBe(0);
});
