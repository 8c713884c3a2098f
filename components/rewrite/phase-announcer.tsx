import type { Run } from "#lib/contract/run.ts";
import type { RunPhase } from "#lib/domain/rewrite.ts";
import { verdict } from "./verdict.ts";

const announcements: Partial<Record<RunPhase, string>> = {
  settling: "Waiting for the storage version to settle.",
  rewriting: "Rewriting the objects.",
  verifying: "Verifying the objects.",
  paused: "The rewrite is paused.",
};

/** Tells screen readers of a change of phase, and of nothing more often. */
export function PhaseAnnouncer({ run }: { run: Run }) {
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {verdict(run) ?? announcements[run.phase]}
    </p>
  );
}
