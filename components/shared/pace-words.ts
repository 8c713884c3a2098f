import type { Pace } from "#lib/domain/rewrite/pace.ts";

/** What each pace is called, and what it costs other clients of the API server (bench/RESULTS.md, "Neighbour"). */
export const paceWords: Record<Pace, { name: string; meaning: string }> = {
  gentle: { name: "Gentle", meaning: "One object at a time, with a rest after each. Other clients hardly notice it." },
  normal: { name: "Normal", meaning: "Only as many at once as make it faster." },
  fast: { name: "As fast as it goes", meaning: "As many at once as the API server takes. Other clients wait longer for their answers." },
};
