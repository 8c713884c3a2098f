import type { CrdIdentity, Run } from "#lib/domain/rewrite.ts";
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
  /** `guarded`: no dry run saw every object, so each is looked at before it is written. */
  state: { run: Run; guarded: boolean };
}
