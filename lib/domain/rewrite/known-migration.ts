import type { MigrationPhase } from "./migration.ts";
import { type Delegation, isLive, mayHaveMigration, type Run } from "./run.ts";

/**
 * What the record knows of a delegated run's StorageVersionMigration: its last phase; that there is none, or none yet on record; or, where
 * its phase isn't on record, that it may have been created all the same.
 */
export type KnownMigration = MigrationPhase | "none" | "none-yet" | "unknown";

/** See KnownMigration. A run records its migration with its next renewal, seconds after it has created it. */
export function knownMigration(run: Pick<Run, "phase" | "settledAt" | "endedAt">, delegation: Delegation): KnownMigration {
  if (delegation.phase !== null) return delegation.phase;
  if (isUnread(delegation)) return "unknown";
  if (delegation.left !== null || !mayHaveMigration(run, null)) return "none";
  if (isLive(run)) return "none-yet";
  // Whoever cancels it looks for its migration only then, and may not get to telling.
  return run.phase === "interrupted" || run.phase === "cancelled" || run.endedAt === null ? "unknown" : "none";
}

/** What to say where a migration may have been created. */
export const MAY_BE_CREATED = "unknown: it may have been created";

/** The note on a migration whose fate can't be read. */
export function unreadNote(migration: string): string {
  return `crdshift can no longer read ${migration}; it may continue on its own.`;
}

/** Whether a run ended without knowing what becomes of its migration. */
export function isUnread({ left, migration }: Pick<Delegation, "left" | "migration">): boolean {
  return left === unreadNote(migration);
}
