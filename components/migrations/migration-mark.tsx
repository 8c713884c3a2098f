import { clsx } from "clsx";
import type { MigrationPhase } from "#lib/domain/rewrite/migration.ts";

const looks: Record<MigrationPhase, { sign: string; colour: string }> = {
  pending: { sign: "○", colour: "text-ink-soft" },
  running: { sign: "◑", colour: "text-working" },
  succeeded: { sign: "✓", colour: "text-good" },
  failed: { sign: "✕", colour: "text-blocked" },
};

/** A StorageVersionMigration's phase: its sign and label. */
export function MigrationMark({ phase }: { phase: MigrationPhase }) {
  const { sign, colour } = looks[phase];
  return (
    <span className={clsx("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <span aria-hidden>{sign}</span>
      <span>{phase}</span>
    </span>
  );
}
