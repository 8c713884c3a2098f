import fc from "fast-check";
import { expect, test } from "vitest";
import { createSampler } from "./sample.ts";

/** A deterministic generator for a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const chosenOf = (total: number, size: number, random?: () => number, listed = total): number[] => {
  const sampler = createSampler(size, random);
  return Array.from({ length: listed }, (_, index) => index).filter(() => sampler.choose(total));
};

test("it chooses exactly the requested number, or all if there are fewer", () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 300 }), fc.nat(), (total, size, seed) => {
      expect(chosenOf(total, size, randomFrom(seed))).toHaveLength(Math.min(total, size));
    }),
  );
});

test("even at the extremes of the random generator", () => {
  for (const random of [() => 0, () => 1 - Number.EPSILON]) expect(chosenOf(60, 20, random)).toHaveLength(20);
});

test("each item has the same chance, including the first and the last, and so does each pair", () => {
  const [total, size, rounds] = [12, 4, 30_000];
  const random = randomFrom(1);
  const times = Array.from({ length: total }, () => 0);
  let [firstAndLast, neighbours] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const chosen = new Set(chosenOf(total, size, random));
    for (const index of chosen) times[index] = (times[index] ?? 0) + 1;
    if (chosen.has(0) && chosen.has(total - 1)) firstAndLast += 1;
    if (chosen.has(5) && chosen.has(6)) neighbours += 1;
  }
  // Five standard deviations of a binomial distribution.
  const near = (chance: number) => 5 * Math.sqrt(rounds * chance * (1 - chance));
  const [one, pair] = [size / total, (size * (size - 1)) / (total * (total - 1))];
  for (const count of times) expect(Math.abs(count - rounds * one)).toBeLessThan(near(one));
  for (const count of [firstAndLast, neighbours]) expect(Math.abs(count - rounds * pair)).toBeLessThan(near(pair));
});

test("objects created after the count never make the sample larger", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 1, max: 50 }), fc.nat(50), fc.nat(), (total, size, more, seed) => {
      const chosen = chosenOf(total, size, randomFrom(seed), total + more);
      expect(chosen.length).toBeLessThanOrEqual(size);
      expect(chosen.length).toBe(Math.min(size, total + more));
    }),
  );
});
