import type { Run } from "#lib/domain/rewrite/run.ts";
import type { DryRun } from "./dry-run.ts";

type KnownDryRun = Pick<DryRun, "id" | "phase" | "startedAt">;

/** The dry run to show for a definition, beside one that is running. */
export interface DryRunStanding<Known extends KnownDryRun> {
  running: Known | null;
  latest:
    | { kind: "recorded" | "none" }
    /** It has ended, but only this crdshift knows it: it was cancelled, it failed, or the definition couldn't be written. */
    | { kind: "unrecorded"; dryRun: Known }
    /** The definition forgot it, because a rewrite has proven more since; null if this crdshift doesn't know it either. */
    | { kind: "superseded"; dryRun: Known | null };
}

/** Which dry runs of a definition there are: those that this crdshift knows, newest first, and the one that the definition records. */
export function dryRunStanding<Known extends KnownDryRun>(
  known: readonly Known[],
  { dryRun, run }: { dryRun: { id: string } | null; run: Run | null },
): DryRunStanding<Known> {
  // The record comes with an event, before the list is read again: what it contains has ended.
  const running = known.find(({ id, phase }) => phase === "running" && id !== dryRun?.id) ?? null;
  if (dryRun) return { running, latest: { kind: "recorded" } };
  const ended = known.find(({ phase }) => phase !== "running") ?? null;
  const before = run?.phase === "succeeded" ? run.dryRun : null;
  const isLater = ended !== null && (before === null || Date.parse(ended.startedAt) > Date.parse(run?.endedAt ?? ""));
  if (isLater) return { running, latest: { kind: "unrecorded", dryRun: ended } };
  return {
    running,
    latest: before === null ? { kind: "none" } : { kind: "superseded", dryRun: known.find(({ id }) => id === before) ?? null },
  };
}
