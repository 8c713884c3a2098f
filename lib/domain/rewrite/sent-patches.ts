/** The purpose of a patch to an object. */
export const patchPurposes = ["rewrite", "verify", "status", "ownership", "dryRun"] as const;
export type PatchPurpose = (typeof patchPurposes)[number];

/** Number of patches a run has sent, by purpose, including failed attempts. */
export interface SentPatches extends Record<PatchPurpose, number> {
  /** More may have been sent: a process that held the run ended before recording the last ones. */
  atLeast: boolean;
  /** Whether any of them tested the object's fields, as they do where a webhook converts; null when unknown, as of an older crdshift. */
  tested: boolean | null;
}

/** Told of each patch that is sent; `isTested` if it tests the object's fields. */
export type OnPatch = (purpose: PatchPurpose, isTested?: boolean) => void;

/** What a run has sent with one more patch. */
export function withSent(sent: SentPatches, purpose: PatchPurpose, isTested: boolean): SentPatches {
  return { ...sent, [purpose]: sent[purpose] + 1, tested: isTested ? true : sent.tested };
}

export const NOTHING_SENT: SentPatches = { rewrite: 0, verify: 0, status: 0, ownership: 0, dryRun: 0, atLeast: false, tested: false };
