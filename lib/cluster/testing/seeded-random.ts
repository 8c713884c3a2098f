/** Numbers from 0 to below 1 that are the same for the same seed: the Park-Miller generator. */
export function seededRandom(seed: number): () => number {
  const [multiplier, modulus] = [48_271, 2_147_483_647];
  let state = (seed % (modulus - 1)) + 1;
  return () => {
    state = (state * multiplier) % modulus;
    return (state - 1) / (modulus - 1);
  };
}
