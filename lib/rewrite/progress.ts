import type { CrdIdentity, Run } from "#lib/domain/rewrite.ts";
import type { PatchPurpose } from "#lib/domain/sent-patches.ts";
import type { Gate } from "./gate.ts";
import type { Job } from "./hold-run.ts";
import type { Tally } from "./tally.ts";

/** A run at work, as its parts see it. */
export interface Progress {
  job: Job;
  identity: CrdIdentity;
  gate: Gate;
  tally: Tally;
  signal: AbortSignal;
  /** Counts a patch of an object, in `state.run.sent`. */
  onPatch: (purpose: PatchPurpose) => void;
  /** `guarded`: no dry run saw every object, so each is looked at before it is written. */
  state: { run: Run; guarded: boolean };
}
