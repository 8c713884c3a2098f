import type { Find } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { LossGuard } from "#lib/rewrite/guards/loss-guard.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Job } from "#lib/rewrite/record/hold-run.ts";
import type { LeftEntries, OwnEntries } from "#lib/rewrite/run/object/left-entries.ts";
import type { UnconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import type { Tally } from "./tally.ts";
/** The shared state of an active run. */
export interface Progress {
  job: Job;
  identity: CrdIdentity;
  gate: Gate;
  tally: Tally;
  writes: UnconfirmedWrites;
  ownEntries: OwnEntries;
  leftEntries: LeftEntries;
  signal: AbortSignal;
  /** Counts a sent patch in `state.run.sent`. */
  onPatch: (purpose: PatchPurpose) => void;
  state: {
    run: Run;
    /** Which objects are checked for losses right before they are written. */
    guard: LossGuard;
    /** The run's first settle point: no dry run tried what was above it, and a later one vouches for nothing below itself. */
    checkAbove: string | null;
    /** When a patch last changed an object above the settle point, by performance.now(); null if none did. */
    disprovedAt: number | null;
    /** A find that needed no doubt when it was made; null if there was none. */
    expected: Find | null;
  };
}
