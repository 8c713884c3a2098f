/** How much of the API server a rewrite takes, the least first. */
export const paces = ["gentle", "normal", "fast"] as const;

export type Pace = (typeof paces)[number];
