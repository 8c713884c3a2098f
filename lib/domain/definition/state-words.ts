import type { CrdStateName } from "./crd-state.ts";

/** The labels of states. */
export const stateWords: Record<CrdStateName, string> = {
  blocked: "blocked",
  rewriting: "rewriting",
  "needs-rewrite": "needs rewrite",
  prunable: "prunable",
  current: "current",
  unknown: "unknown",
};
