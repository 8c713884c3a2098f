import type { Crd } from "#lib/domain/definition/crd.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import { isLive, isOtherEngineAtWork, type Run } from "#lib/domain/rewrite/run.ts";

const NOBODY_KNOWS = "Nobody knows which objects the run wrote last before its process ended without a word";

/**
 * What to say of the last writes of a run whose process ended without a word, as when it was killed: the definition has changed since the
 * run's settle point, or webhooks and policies may have, and nobody knows whether these writes met that change. Null if the run recorded how
 * it ended, or wrote nothing.
 */
export function unknownWrites(run: Run, crd: Crd, { settlePoint }: Pick<RewriteRecord, "settlePoint">): string | null {
  if (!isLive(run) || settlePoint === null) return null;
  const change = identityChange(crd, settlePoint);
  if (change === null) return unknownAdmission(run);
  if (settlePoint.resourceVersion !== run.settleResourceVersion) return null;
  return (
    `${NOBODY_KNOWS}, and ${change} since its settle point. ` +
    "If that was before these writes, fields that the new storage version lacks may be lost: compare with a backup."
  );
}

// What it had read by its last renewal is recorded. What came after, and may be gone again, nothing shows.
function unknownAdmission(run: Run): string | null {
  if (run.acceptedLosses?.unseen || isOtherEngineAtWork(run)) return null;
  return (
    `${NOBODY_KNOWS}, soon after ${run.renewedAt}. ` +
    "If mutating webhooks or policies changed just before, these objects may have lost fields: compare with a backup."
  );
}
