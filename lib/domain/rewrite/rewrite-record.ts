import type { DryRunRecord } from "#lib/domain/losses/dry-run.ts";
import type { CrdIdentity } from "./identity.ts";
import type { AcceptedLosses, Run } from "./run.ts";
/** A resourceVersion above which every object is at the storage version, as long as the identity holds. */
export interface SettlePoint extends CrdIdentity {
  resourceVersion: string;
  takenAt: string;
  /** The wait after the last spec change. */
  settleSeconds: number;
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
}

/** A completed prune, kept for undo. */
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

/** Maximum runs kept in the annotation. */
export const REMEMBERED_RUNS = 5;

/** The annotation's content: everything crdshift records about a CRD. */
export interface RewriteRecord {
  /** The random id of the process that holds the newest run; null when none does. */
  holder: string | null;
  /** When crdshift first saw the generation, for CRDs whose managedFields don't say. */
  generationSeen: { generation: number; at: string } | null;
  settlePoint: SettlePoint | null;
  proof: Proof | null;
  prune: Prune | null;
  /** The newest completed dry run. */
  dryRun: DryRunRecord | null;
  /** Newest first; only the first can be live. */
  runs: Run[];
}
