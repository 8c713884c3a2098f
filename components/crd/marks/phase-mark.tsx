import { clsx } from "clsx";
import type { RunPhase } from "#lib/domain/rewrite/run.ts";

const looks: Record<RunPhase, { sign: string; colour: string }> = {
  settling: { sign: "◔", colour: "text-working" },
  rewriting: { sign: "◑", colour: "text-working" },
  verifying: { sign: "◕", colour: "text-working" },
  paused: { sign: "‖", colour: "text-warning" },
  succeeded: { sign: "✓", colour: "text-good" },
  unproven: { sign: "■", colour: "text-blocked" },
  cancelled: { sign: "–", colour: "text-ink-soft" },
  interrupted: { sign: "▲", colour: "text-warning" },
  failed: { sign: "✕", colour: "text-blocked" },
};

/** A run's phase: its sign and its label. */
export function PhaseMark({ phase }: { phase: RunPhase }) {
  const { sign, colour } = looks[phase];
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <span aria-hidden>{sign}</span>
      <span>{phaseWords[phase]}</span>
    </span>
  );
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
