/**
 * Chooses `size` of `total` items at random while they pass by, each with the same chance (Knuth, The Art of Computer Programming
 * 3.4.2, algorithm S). Items beyond `total`, which came later, are not chosen once the sample is full.
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
