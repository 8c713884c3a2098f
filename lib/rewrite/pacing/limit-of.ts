import type { Pace } from "#lib/domain/rewrite/pace.ts";
import type { AdaptiveLimit } from "./adaptive-limit.ts";
import { createGradientLimit } from "./gradient-limit.ts";
import { createWorthwhileLimit } from "./worthwhile-limit.ts";

/** A process that was stopped for hours in the middle of a request doesn't rest for hours. */
const MOST_REST_MS = 5_000;

/** What each pace allows (docs/decisions/0063-three-paces.md). */
export function limitOf(pace: Pace): AdaptiveLimit {
  switch (pace) {
    case "gentle":
      return { current: () => 1, answered() {}, overloaded() {}, restMs: (latencyMs) => Math.min(latencyMs, MOST_REST_MS) };
    case "normal":
      return createWorthwhileLimit();
    case "fast":
      return createGradientLimit();
  }
}
