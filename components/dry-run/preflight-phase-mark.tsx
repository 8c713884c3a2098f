import { clsx } from "clsx";
import type { PreflightPhase } from "#lib/domain/preflight.ts";

// A dry run that came to its end may have found anything: no colour of success.
const looks: Record<PreflightPhase, { sign: string; word: string; colour: string }> = {
  running: { sign: "◑", word: "running", colour: "text-working" },
  succeeded: { sign: "●", word: "complete", colour: "text-ink" },
  failed: { sign: "✕", word: "failed", colour: "text-blocked" },
  cancelled: { sign: "–", word: "cancelled", colour: "text-ink-soft" },
};

/** The phase of a dry run: a sign and its word. */
export function PreflightPhaseMark({ phase }: { phase: PreflightPhase }) {
  const { sign, word, colour } = looks[phase];
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <span aria-hidden>{sign}</span>
      <span>{word}</span>
    </span>
  );
}
