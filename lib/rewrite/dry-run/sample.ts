/**
 * Chooses `size` of `total` items from a stream at random, each with the same probability (Knuth, The Art of Computer Programming
 * 3.4.2, algorithm S). Once the sample is full, items beyond `total` are not chosen.
 */
export function createSampler(size: number, random: () => number = Math.random): { choose(total: number): boolean } {
  let seen = 0;
  let chosen = 0;
  return {
    choose(total) {
      const left = Math.max(1, total - seen);
      const isChosen = chosen < size && random() * left < size - chosen;
      seen += 1;
      if (isChosen) chosen += 1;
      return isChosen;
    },
  };
}
