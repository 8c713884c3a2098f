import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import type { PatchPurpose } from "#lib/domain/rewrite/sent-patches.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Tally } from "./tally.ts";

/** What one pass over all objects works with. */
export interface Pass {
  connection: Connection;
  crd: Crd;
  /** The storage version, at which objects are listed and patched. */
  version: string;
  /** Objects above this resourceVersion are at the storage version and need no request; null patches every object. */
  settleResourceVersion: string | null;
  /** Try what is rejected through `/status`. */
  throughStatus: boolean;
  /** Carry managedFields over where the rewrite would lose them. */
  keepOwnership: boolean;
  /** Everything was patched before: what changes now changes unexpectedly. */
  verifying: boolean;
  /** Somebody has accepted losses: managedFields that vanish are counted; else they are put back. */
  lossesAccepted: boolean;
  /** Look at each object before it is written, and leave it alone if it would lose something: no dry run saw them all. */
  guarded: boolean;
  gate: Gate;
  pacer: Pacer;
  tally: Tally;
  /** Counts the patches that are sent. */
  onPatch: (purpose: PatchPurpose) => void;
  runId: string;
  signal: AbortSignal;
}

/** How an object ended. */
export type Outcome =
  | { kind: "alreadyCurrent" | "gone" }
  /** `throughStatus` when the main resource refused it; `ownership` when managedFields were carried over, or emptied. */
  | { kind: "rewritten"; throughStatus?: boolean; ownership?: "kept" | "lost" }
  | { kind: "rejected"; reason: string; message: string };
