import { contradictionOf, isContradicted } from "#lib/domain/definition/contradiction.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { storedVersionsProblem } from "#lib/domain/definition/stored-versions.ts";
import { doubtOf } from "#lib/domain/record/doubt.ts";
import { validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { conditionAtWork, failedUnproven, prunedUnproven } from "#lib/domain/rewrite/other-engines.ts";

/** What bounds on the objects stored in each version rest on if etcd isn't read. */
export type DefinitionBasis = "proof" | "settle-point" | "declared" | "none";

export type StoredBasis = DefinitionBasis | "etcd";

/** What the definition says, at `now` (ms), about the versions in which its objects are stored. */
export function basisOfBounds(crd: Crd, now: number): DefinitionBasis {
  if (contradictionOf(crd)) return "none";
  if (validProof(crd)) return "proof";
  if (!isDeclarationTrusted(crd, now)) return "none";
  const settlePoint = crd.storedVersions.length > 1 ? validSettlePoint(crd) : null;
  return settlePoint && !isContradicted(crd, settlePoint) ? "settle-point" : "declared";
}

// A running or failed in-tree migration prunes storedVersions with objects left behind. A list that is invalid, was shortened without a
// proof, or is in doubt can't be trusted either, and an unreadable record may hold a doubt.
function isDeclarationTrusted(crd: Crd, now: number): boolean {
  const shrank = crd.shrankWithoutProof.length > 0;
  const isMigrating = conditionAtWork(crd) !== null || crd.migrations.some(({ phase }) => phase === "running");
  // Versions removed during a live delegated run are unproven too.
  const isPruned = prunedUnproven(crd, Number.POSITIVE_INFINITY).length > 0;
  if (crd.record === "unreadable" || doubtOf(crd, now)) return false;
  return storedVersionsProblem(crd, crd.storedVersions) === null && !shrank && !failedUnproven(crd) && !isMigrating && !isPruned;
}
