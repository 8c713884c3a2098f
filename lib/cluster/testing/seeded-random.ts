/** Numbers from 0 to below 1 that are the same for the same seed: the Park-Miller generator. */
export function seededRandom(seed: number): () => number {
  const [multiplier, modulus] = [48_271, 2_147_483_647];
  let state = (seed % (modulus - 1)) + 1;
  return () => {
    state = (state * multiplier) % modulus;
    return (state - 1) / (modulus - 1);
  };
}

/**
 * The seed of a test: TEST_SEED if that is set, otherwise the given one, or one at random. It is printed, to have the same choices again.
 * @throws Error when TEST_SEED is not a whole number.
 */
export function testSeed(otherwise = Math.floor(Math.random() * 1_000_000)): number {
  const seed = Number(process.env.TEST_SEED || otherwise);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`TEST_SEED is ${process.env.TEST_SEED}. Set it to a whole number, or not at all.`);
  console.log(`TEST_SEED=${seed}`);
  return seed;
}
