import { clsx } from "clsx";
import type { ReactNode } from "react";
import { type CrdStateName, stateWords } from "#lib/domain/definition/crd-state.ts";
import type { DryRunPhase } from "#lib/domain/losses/dry-run.ts";
import type { MigrationPhase } from "#lib/domain/rewrite/migration.ts";
import type { RunPhase } from "#lib/domain/rewrite/run.ts";

const colors: Record<CrdStateName, string> = {
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
    <svg aria-hidden width="10" height="10" viewBox="0 0 10 10" className={clsx("shrink-0", colors[state], className)}>
      {shapes[state]}
    </svg>
  );
}

/** A state's shape and name. */
export function StateMark({ state }: { state: CrdStateName }) {
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colors[state])}>
      <StateShape state={state} />
      {stateWords[state]}
    </span>
  );
}

const looks: Record<RunPhase, { sign: string; color: string }> = {
  settling: { sign: "◔", color: "text-working" },
  rewriting: { sign: "◑", color: "text-working" },
  verifying: { sign: "◕", color: "text-working" },
  paused: { sign: "‖", color: "text-warning" },
  succeeded: { sign: "✓", color: "text-good" },
  unproven: { sign: "■", color: "text-blocked" },
  cancelled: { sign: "–", color: "text-ink-soft" },
  interrupted: { sign: "▲", color: "text-warning" },
  failed: { sign: "✕", color: "text-blocked" },
};

/** A run's phase: its sign and its label. */
export function PhaseMark({ phase }: { phase: RunPhase }) {
  return <Mark {...looks[phase]} word={phaseWords[phase]} />;
}

/** The labels of run phases. */
const phaseWords: Record<RunPhase, string> = {
  settling: "settling",
  rewriting: "rewriting",
  verifying: "verifying",
  paused: "paused",
  succeeded: "succeeded",
  unproven: "unproven",
  cancelled: "cancelled",
  interrupted: "interrupted",
  failed: "failed",
};

// A complete dry run may have found problems, so it is not green.
const dryRunLooks: Record<DryRunPhase, MarkLook> = {
  running: { sign: "◑", word: "running", color: "text-working" },
  succeeded: { sign: "●", word: "complete", color: "text-ink" },
  failed: { sign: "✕", word: "failed", color: "text-blocked" },
  cancelled: { sign: "–", word: "cancelled", color: "text-ink-soft" },
};

/** The phase of a dry run: a sign and its word. */
export function DryRunPhaseMark({ phase }: { phase: DryRunPhase }) {
  return <Mark {...dryRunLooks[phase]} />;
}

const migrationLooks: Record<MigrationPhase, { sign: string; color: string }> = {
  pending: { sign: "○", color: "text-ink-soft" },
  running: { sign: "◑", color: "text-working" },
  succeeded: { sign: "✓", color: "text-good" },
  failed: { sign: "✕", color: "text-blocked" },
};

/** A StorageVersionMigration's phase: its sign and label. */
export function MigrationMark({ phase }: { phase: MigrationPhase }) {
  return <Mark {...migrationLooks[phase]} word={phase} />;
}

/** How a mark looks. */
export interface MarkLook {
  sign: string;
  word: string;
  /** The text's color if omitted. */
  color?: string;
}

/** A sign and a word in a color; `aligned` gives the signs of marks below each other the same width. */
export function Mark({ sign, word, color, aligned = false }: MarkLook & { aligned?: boolean }) {
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", color)}>
      <span aria-hidden className={aligned ? "inline-block w-3 text-center" : undefined}>
        {sign}
      </span>
      <span>{word}</span>
    </span>
  );
}
