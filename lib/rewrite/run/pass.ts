import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Tally } from "./tally.ts";

/** The inputs of one pass over all objects. */
export interface Pass {
  connection: Connection;
  crd: Crd;
  /** The storage version, at which objects are listed and patched. */
  version: string;
  /** Objects above this resourceVersion are at the storage version and need no request; null patches every object. */
  settleResourceVersion: string | null;
  /** Retry rejected objects through `/status`. */
  throughStatus: boolean;
  /** Carry managedFields over if the rewrite would lose them. */
  keepOwnership: boolean;
  /** All objects were patched before, so any change now is unexpected. */
  verifying: boolean;
  /** Lost managedFields are accepted and counted; otherwise they are put back. */
  lossesAccepted: boolean;
  /** Check each object before writing it, and skip it if it would lose something, because no dry run saw all objects. */
  guarded: boolean;
  gate: Gate;
  pacer: Pacer;
  tally: Tally;
  /** Counts sent patches. */
  onPatch: (purpose: PatchPurpose) => void;
  runId: string;
  signal: AbortSignal;
}
