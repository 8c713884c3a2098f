import { clsx } from "clsx";
import type { ReactNode } from "react";
import { type CrdStateName, stateWords } from "#lib/domain/definition/crd-state.ts";

const colours: Record<CrdStateName, string> = {
  blocked: "text-blocked",
  rewriting: "text-working",
  "needs-rewrite": "text-warning",
  prunable: "text-ready",
  current: "text-good",
  unknown: "text-ink-soft",
};

const shapes: Record<CrdStateName, ReactNode> = {
  blocked: <rect x="1" y="1" width="8" height="8" rx="1" fill="currentColor" />,
  rewriting: (
    <>
      <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 1a4 4 0 0 1 0 8z" fill="currentColor" />
    </>
  ),
  "needs-rewrite": <path d="M5 .8 9.6 9H.4z" fill="currentColor" />,
  prunable: <path d="M5 .5 9.5 5 5 9.5.5 5z" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  current: <circle cx="5" cy="5" r="3.5" fill="currentColor" />,
  unknown: <circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2 1.6" />,
};

/** A state's shape in its color. Always show it beside the state's name. */
export function StateShape({ state, className }: { state: CrdStateName; className?: string }) {
  return (
    <svg aria-hidden width="10" height="10" viewBox="0 0 10 10" className={clsx("shrink-0", colours[state], className)}>
      {shapes[state]}
    </svg>
  );
}

/** A state's shape and name. */
export function StateMark({ state, className }: { state: CrdStateName; className?: string }) {
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colours[state], className)}>
      <StateShape state={state} />
      {stateWords[state]}
    </span>
  );
}
