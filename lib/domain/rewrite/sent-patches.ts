/** The purpose of a patch to an object. */
export const patchPurposes = ["rewrite", "verify", "status", "ownership", "dryRun"] as const;
export type PatchPurpose = (typeof patchPurposes)[number];

/** Number of patches a run has sent, by purpose, including failed attempts. */
export interface SentPatches extends Record<PatchPurpose, number> {
  /** More may have been sent: a process that held the run ended before recording the last ones. */
  atLeast: boolean;
}

export const NOTHING_SENT: SentPatches = { rewrite: 0, verify: 0, status: 0, ownership: 0, dryRun: 0, atLeast: false };
