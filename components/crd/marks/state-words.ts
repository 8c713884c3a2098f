import type { CrdStateName } from "#lib/domain/definition/crd-state.ts";

/** How a state is written. */
export const stateWords: Record<CrdStateName, string> = {
  blocked: "blocked",
  rewriting: "rewriting",
  "needs-rewrite": "needs rewrite",
  prunable: "prunable",
  current: "current",
  unknown: "unknown",
};
