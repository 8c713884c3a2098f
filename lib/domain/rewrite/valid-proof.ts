import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run.ts";
import { identityChange } from "./identity.ts";
import type { Proof, RewriteRecord, SettlePoint } from "./rewrite-record.ts";
import { asOf, type Run } from "./run.ts";
/** The proof, if it is still valid for this CRD. */
export function validProof(crd: Crd): Proof | null {
  const proof = readableRecord(crd)?.proof ?? null;
  return proof && identityChange(crd, proof) === null ? proof : null;
}

/** The settle point, if it is still valid for this CRD. */
export function validSettlePoint(crd: Crd): SettlePoint | null {
  const point = readableRecord(crd)?.settlePoint ?? null;
  return point && identityChange(crd, point) === null ? point : null;
}

/** The newest dry run, if it matches the current definition. */
export function validDryRun(crd: Crd): DryRunRecord | null {
  const dryRun = readableRecord(crd)?.dryRun ?? null;
  return dryRun && identityChange(crd, dryRun) === null ? dryRun : null;
}

export function readableRecord(crd: Pick<Crd, "record">): RewriteRecord | null {
  return crd.record === "unreadable" ? null : crd.record;
}

/** The newest run at `now` (ms). A live run whose holder stopped renewing counts as interrupted. */
export function latestRun(crd: Pick<Crd, "record">, now: number): Run | null {
  const run = readableRecord(crd)?.runs[0];
  return run ? asOf(run, now) : null;
}
