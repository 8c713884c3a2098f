import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Job } from "#lib/rewrite/record/hold-run.ts";
import type { Tally } from "./tally.ts";
/** The shared state of an active run. */
export interface Progress {
  job: Job;
  identity: CrdIdentity;
  gate: Gate;
  tally: Tally;
  signal: AbortSignal;
  /** Counts a sent patch in `state.run.sent`. */
  onPatch: (purpose: PatchPurpose) => void;
  /** `guarded`: no dry run saw every object, so each is checked before it is written. */
  state: { run: Run; guarded: boolean };
}
