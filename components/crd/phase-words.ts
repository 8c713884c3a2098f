import type { RunPhase } from "#lib/domain/rewrite.ts";

/** How the phase of a run is written. */
export const phaseWords: Record<RunPhase, string> = {
  settling: "settling",
  rewriting: "rewriting",
  verifying: "verifying",
  paused: "paused",
  succeeded: "succeeded",
  blocked: "blocked",
  cancelled: "cancelled",
  interrupted: "interrupted",
  failed: "failed",
};
