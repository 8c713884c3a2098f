import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import { type AcceptedLosses, asOf, type Run } from "#lib/domain/rewrite/run.ts";

/** A resourceVersion above which every object is at the storage version, as long as the identity holds. */
export interface SettlePoint extends CrdIdentity {
  resourceVersion: string;
  takenAt: string;
  /** The wait after the last spec change. */
  settleSeconds: number;
  /** Says which installation recorded it; null when an older crdshift did, or someone else. */
  signature: string | null;
}

/** The record that a rewrite finished and verified with zero rejected objects. */
export interface Proof extends CrdIdentity {
  settleResourceVersion: string;
  settleSeconds: number;
  /** resourceVersion of the list that verified. */
  verifiedResourceVersion: string;
  /** Objects in that list. */
  objects: number;
  verify: "settle-point" | "every-object";
  provenAt: string;
  runId: string;
  acceptedLosses: AcceptedLosses | null;
  /** Says which installation recorded it; null when an older crdshift did, or someone else. */
  signature: string | null;
}

/** A prune, kept for undo. */
export interface Prune {
  versions: string[];
  prunedAt: string;
  /** The API server's name for the user; null when not recorded. */
  by: string | null;
  /** The run whose proof it relied on; null when not recorded. */
  runId: string | null;
  /** The reason given, if the definition was protected. */
  reason: string | null;
}

/** Objects that a rewrite changed or could not verify, and none has proven since: more of them may be stored at another version. */
export interface Doubt {
  /** The most objects that one of these rewrites could not verify; 0 if they only changed some. */
  rejected: number;
}

/** Maximum runs kept in the annotation. */
export const REMEMBERED_RUNS = 5;

/** The parts of a record on which a later write to the cluster relies. */
export type Evidence = SettlePoint | Proof | DryRunRecord;

/** The annotation's content: everything crdshift records about a CRD. */
export interface RewriteRecord {
  /** The definition that it is about; null in a record of an earlier crdshift, which didn't say. */
  uid: string | null;
  /** The random id of the process that holds the newest run; null when none does. */
  holder: string | null;
  /** When crdshift first saw the generation, for CRDs whose managedFields don't say. */
  generationSeen: { generation: number; at: string } | null;
  settlePoint: SettlePoint | null;
  proof: Proof | null;
  /** The newest prune that is known to have happened. */
  prune: Prune | null;
  /** A prune that was recorded before its write, and is not confirmed yet; null when there is none. */
  pruning: Prune | null;
  /** Kept beside the runs, because old runs are dropped; a proof ends it. */
  doubt: Doubt | null;
  /** The newest completed dry run. */
  dryRun: DryRunRecord | null;
  /** Newest first; only the first can be live. */
  runs: Run[];
}

/** The record of a definition that has none yet. */
export const EMPTY_RECORD: RewriteRecord = {
  uid: null,
  holder: null,
  generationSeen: null,
  settlePoint: null,
  proof: null,
  prune: null,
  pruning: null,
  doubt: null,
  dryRun: null,
  runs: [],
};

interface Recorded {
  record: RewriteRecord | "unreadable" | null;
}

/** The record; null if the definition has none of its own, or one that can't be read. */
export function readableRecord(crd: Recorded): RewriteRecord | null {
  return crd.record === "unreadable" ? null : crd.record;
}

/** The newest run at `now` (ms). A live run whose holder stopped renewing counts as interrupted. */
export function latestRun(crd: Recorded, now: number): Run | null {
  const run = readableRecord(crd)?.runs[0];
  return run ? asOf(run, now) : null;
}
