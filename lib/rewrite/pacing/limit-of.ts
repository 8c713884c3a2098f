import type { Pace } from "#lib/domain/rewrite/pace.ts";
import type { AdaptiveLimit } from "./adaptive-limit.ts";
import { createGradientLimit } from "./gradient-limit.ts";
import { createWorthwhileLimit } from "./worthwhile-limit.ts";

/** What each pace allows (docs/decisions/0063-three-paces.md). */
export function limitOf(pace: Pace): AdaptiveLimit {
  switch (pace) {
    case "gentle":
      return { current: () => 1, answered() {}, overloaded() {}, restMs: (latencyMs) => latencyMs };
    case "normal":
      return createWorthwhileLimit();
    case "fast":
      return createGradientLimit();
  }
}
