/** How many objects a prune verifies of a claimed proof: fewer than fit in the time that it has (bounded-verification.long.test.ts). */
export const MOST_VERIFIED = 1_000;
