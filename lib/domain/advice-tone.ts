/** How much what is said of a condition matters: in order, worth a look, to be mended, or not known. */
export const adviceTones = ["good", "warn", "blocked", "unknown"] as const;
export type AdviceTone = (typeof adviceTones)[number];
