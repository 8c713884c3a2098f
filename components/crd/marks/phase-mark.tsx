import { clsx } from "clsx";
import type { DryRunPhase } from "#lib/domain/losses/dry-run.ts";
import type { MigrationPhase } from "#lib/domain/rewrite/migration.ts";
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
const dryRunLooks: Record<DryRunPhase, { sign: string; word: string; colour: string }> = {
  running: { sign: "◑", word: "running", colour: "text-working" },
  succeeded: { sign: "●", word: "complete", colour: "text-ink" },
  failed: { sign: "✕", word: "failed", colour: "text-blocked" },
  cancelled: { sign: "–", word: "cancelled", colour: "text-ink-soft" },
};

/** The phase of a dry run: a sign and its word. */
export function DryRunPhaseMark({ phase }: { phase: DryRunPhase }) {
  return <Mark {...dryRunLooks[phase]} />;
}

const migrationLooks: Record<MigrationPhase, { sign: string; colour: string }> = {
  pending: { sign: "○", colour: "text-ink-soft" },
  running: { sign: "◑", colour: "text-working" },
  succeeded: { sign: "✓", colour: "text-good" },
  failed: { sign: "✕", colour: "text-blocked" },
};

/** A StorageVersionMigration's phase: its sign and label. */
export function MigrationMark({ phase }: { phase: MigrationPhase }) {
  return <Mark {...migrationLooks[phase]} word={phase} />;
}

function Mark({ sign, word, colour }: { sign: string; word: string; colour: string }) {
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <span aria-hidden>{sign}</span>
      <span>{word}</span>
    </span>
  );
}
