import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import { runsSince } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { doubtBesideProof } from "./doubt.ts";
import { type Proof, readableRecord, type SettlePoint } from "./rewrite-record.ts";

/**
 * How an object was stored that a no-op patch changes. Nothing tells these apart: the API server also writes a value again that it
 * encrypted with a key that is no longer the first one, or that admission changed.
 */
export const STORED_OTHERWISE =
  "stored at an older version or without a default, encrypted with an earlier key, or changed by a webhook or policy";

/** The proof, if it still holds for this CRD and this installation signed it. Null for a claim, which anyone may have written. */
export function validProof(crd: Crd): Proof | null {
  return crd.claims.proof ? null : recordedProof(crd);
}

/** The proof, if it still holds for this CRD, by whoever wrote it: to be verified before anything relies on it. */
export function recordedProof(crd: Crd): Proof | null {
  const proof = readableRecord(crd)?.proof ?? null;
  return proof && proofFault(crd, proof) === null ? proof : null;
}

/**
 * The proof, if this installation signed it and it was true when it was made: of this CRD, though perhaps of an earlier spec. It says what
 * was stored up to its resourceVersion, not what is stored now.
 */
export function truthfulProof(crd: Crd): Proof | null {
  const proof = readableRecord(crd)?.proof ?? null;
  if (!proof || crd.claims.proof || proof.uid !== crd.uid) return null;
  return untruth(crd, proof) === null ? proof : null;
}

/** Why the proof doesn't hold for this CRD, for people, without its period; null when it does. */
export function proofFault(crd: Crd, proof: Proof): string | null {
  return identityChange(crd, proof) ?? untruth(crd, proof);
}

/** The settle point, if it still holds for this CRD and this installation signed it. */
export function validSettlePoint(crd: Crd): SettlePoint | null {
  return crd.claims.settlePoint ? null : recordedSettlePoint(crd);
}

/** The settle point, if it still holds for this CRD, by whoever wrote it. */
export function recordedSettlePoint(crd: Crd): SettlePoint | null {
  const point = readableRecord(crd)?.settlePoint ?? null;
  if (!point) return null;
  const fault = identityChange(crd, point) ?? shortWait(crd, point) ?? laterThan(crd, point.resourceVersion);
  return fault === null ? point : null;
}

/** The newest dry run, if it matches the current definition. */
export function validDryRun(crd: Crd): DryRunRecord | null {
  const dryRun = readableRecord(crd)?.dryRun ?? null;
  return dryRun && dryRunFault(crd, dryRun) === null ? dryRun : null;
}

/** Why what a dry run found doesn't hold for this CRD, for people, without its period; null when it does. */
export function dryRunFault(crd: Crd, dryRun: DryRunRecord): string | null {
  return identityChange(crd, dryRun) ?? (dryRun.resourceVersion === null ? null : laterThan(crd, dryRun.resourceVersion));
}

/** Why a rewrite doesn't rely on the newest dry run although it fits this CRD, for people, without its period; null when it does. */
export function claimedDryRun(crd: Pick<Crd, "claims">): string | null {
  return crd.claims.dryRun ? "this installation didn't sign it, or etcd was restored since" : null;
}

function shortWait({ settleSeconds }: Crd, part: Proof | SettlePoint): string | null {
  if (part.settleSeconds >= settleSeconds) return null;
  return `it rests on a settle wait of ${part.settleSeconds} s, and this crdshift waits ${settleSeconds} s`;
}

function untruth(crd: Crd, proof: Proof): string | null {
  return shortWait(crd, proof) ?? laterThan(crd, proof.verifiedResourceVersion) ?? disproof(crd, proof);
}

// Evidence is written after its list, and the API server keeps definitions and custom resources in one etcd, which counts on for both.
function laterThan({ resourceVersion }: Crd, listedAt: string): string | null {
  if (compareResourceVersions(listedAt, resourceVersion) <= 0) return null;
  return "its resourceVersion is above the definition's: etcd was restored since, or someone made it up";
}

// The proof's own run may be too old to be remembered, and so may those that disprove it: they leave a doubt.
function disproof(crd: Crd, { runId }: Proof): string | null {
  const later = runsSince(readableRecord(crd)?.runs ?? [], ({ id }) => id === runId);
  const doubt = doubtBesideProof(crd);
  if (doubt && crd.rememberedDoubt && crd.claims.proof)
    return "this crdshift didn't make it, and an earlier rewrite left objects unverified";
  const rejected = later.find(({ counts }) => counts.rejected > 0)?.counts.rejected ?? doubt?.rejected ?? 0;
  if (rejected > 0) return `a later rewrite couldn't rewrite ${formatCountOf(rejected, "object")}`;
  if (doubt || later.some(({ counts }) => counts.rewritten > 0)) return `a later rewrite found objects ${STORED_OTHERWISE}`;
  return later.some(({ phase }) => phase === "unproven") ? "a later rewrite ended without a proof" : null;
}
