import type { Connection } from "#lib/cluster/connection/connection.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { listObjects } from "#lib/cluster/objects/object-pages.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import { MOST_VERIFIED } from "#lib/domain/audit/proof-standing.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { type Proof, readableRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { STORED_OTHERWISE } from "#lib/domain/record/valid-evidence.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import { formatDuration } from "#lib/domain/wording/format-duration.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import { withoutPeriod } from "#lib/domain/wording/without-period.ts";
import { admissionOf } from "#lib/rewrite/guards/admission-watch.ts";
import { fullGuard } from "#lib/rewrite/guards/loss-guard.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { isDefinitionChange, lastReading, whileConfirmed } from "#lib/rewrite/run/confirm-definition.ts";
import { leftEntries, ownEntries } from "#lib/rewrite/run/object/ownership/left-entries.ts";
import { KEPT_CHANGING } from "#lib/rewrite/run/object/rewrite-object.ts";
import { createTally } from "#lib/rewrite/run/progress/tally.ts";
import { type PassResult, rewriteObjects } from "#lib/rewrite/run/rewrite-objects.ts";
import { settle } from "#lib/rewrite/run/settle/settle.ts";
import type { UnconfirmedWrites } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { asUnrecorded, doubtfulClaim, rewriteFirst } from "./doubtful-claim.ts";
import type { Finding } from "./withdraw-claim.ts";

/** API servers renew their identity Leases every ten seconds. */
const LEASES_RENEWED_WITHIN_MS = 20_000;

/** How a claim is verified. */
export interface Verifying {
  signal: AbortSignal;
  /**
   * Called with the reason for each wait before it, and with the wait's end (ms since the epoch, null if unknown). Null where nobody waits
   * that long: the verification is refused instead.
   */
  onWait: ((because: string, until: number | null) => void) | null;
}

/**
 * Verifies a claimed proof, since whoever may patch the definition can write its annotation: its run must be recorded, its numbers must
 * fit a fresh list, and every object is patched again, which must change nothing. An object that would lose something is not patched.
 * Returns the proof that this makes, unsigned: what the claim says of itself is in it nowhere, except which run it names.
 * @throws AppError precondition_failed with what was found, or with how the definition changed; StopRun if it can't go on; the signal's reason.
 */
export async function verifyClaimedObjects(
  connection: Connection,
  crd: Crd,
  proof: Proof,
  { gate, writes, finding }: { gate: Gate; writes: UnconfirmedWrites; finding: Finding },
  { signal, onWait }: Verifying,
): Promise<Proof> {
  const fault = unrecorded(crd, proof) ?? unseen(connection, crd) ?? (await unlikely(connection, crd, proof, signal));
  if (fault) throw doubtfulClaim(fault, rewriteFirst(crd.name));
  const settlePoint = await settled(connection, crd, proof, gate, { signal, onWait });
  const tally = createTally();
  const { storageVersion, runId } = proof;
  const pacer = createPacer(null);
  const verify = (within: AbortSignal) =>
    rewriteObjects({
      ...{ connection, crd, version: storageVersion, gate, pacer, tally, writes, signal: within },
      ...{ ownEntries: ownEntries(), leftEntries: leftEntries() },
      ...{
        skipAbove: null,
        settleResourceVersion: settlePoint.resourceVersion,
        settledAt: Date.parse(settlePoint.takenAt),
        checkAbove: settlePoint.resourceVersion,
        verifying: true,
        guard: { ...fullGuard, admission: admissionOf(connection, crd, storageVersion, gate, within) },
        runId,
      },
      ...{ throughStatus: false, keepOwnership: false, takesBack: false },
      onPatch: () => {},
      onDisproof: finding.onDisproof,
    });
  const { error, result } = await whileConfirmed({ connection, crd, gate, pacer, writes, runId, signal }, verify).then(
    (result) => ({ error: null, result }),
    (error: unknown) => ({ error, result: null }),
  );
  const refusal = (because: AppError) => (finding.isUnrecorded() ? asUnrecorded(because) : because);
  if (error !== null && writes.objects() > 0) {
    const reading = () => lastReading({ connection, crd, writes, runId, signal });
    const change = refusalIn(signal.reason) ?? changedBy(error) ?? changedBy(await reading());
    if (change) throw refusal(change);
  }
  const { rewritten, rejected } = tally.counts();
  // What was found by then is true, however it ended.
  if (rewritten === 0 && !result && !finding.isFound()) throw error;
  if (result?.busy) throw doubtfulClaim(`${fullName(result.busy)} ${KEPT_CHANGING}`, rewriteFirst(crd.name));
  if (result && rewritten + rejected + result.disproving === 0) return proofOf(settlePoint, result, proof.runId);
  const found = [
    rewritten > 0 && `${formatCountOf(rewritten, "object")} had been ${STORED_OTHERWISE}`,
    rejected > 0 && `${formatCountOf(rejected, "object")} couldn't be verified (${tally.rejections()[0]?.message})`,
    rewritten + rejected === 0 && "an object was stored at an older version, or a write got no answer, and its object is gone",
  ];
  throw refusal(doubtfulClaim(found.filter(Boolean).join(", and "), rewriteFirst(crd.name)));
}

/** What a signal was aborted with, if that is a change of the definition or a restore. */
function refusalIn(reason: unknown): AppError | null {
  return isAppError(reason) && reason.code === "precondition_failed" ? reason : null;
}

/** The refusal of a claim if the definition changed while writes may have met that: what they changed says nothing about the claim. */
function changedBy(error: unknown): AppError | null {
  if (!isDefinitionChange(error)) return null;
  return new AppError("precondition_failed", error.message, { nextStep: "Look at what changed, then prune again." });
}

function proofOf(
  { uid, generation, storageVersion, resourceVersion, settleSeconds }: SettlePoint,
  result: PassResult,
  runId: string,
): Proof {
  return {
    ...{ uid, generation, storageVersion, settleResourceVersion: resourceVersion, settleSeconds, runId },
    ...{ verifiedResourceVersion: result.resourceVersion, objects: result.objects, verify: "every-object" },
    ...{ provenAt: new Date().toISOString(), acceptedLosses: null, signature: null },
  };
}

/** What a verification finds holds only if no request that began before the flip can still be stored after it. */
async function settled(connection: Connection, crd: Crd, proof: Proof, gate: Gate, { signal, onWait }: Verifying): Promise<SettlePoint> {
  const { uid, generation, storageVersion } = proof;
  const startedAt = performance.now();
  return settle({
    ...{ connection, crdName: crd.name, settleSeconds: crd.settleSeconds, gate, signal },
    identity: { uid, generation, storageVersion },
    onWait(because, until) {
      if (onWait) return onWait(because, until);
      const nextStep = until === null ? "Fix that, then prune again." : `Prune again in ${formatDuration(until - Date.now())}.`;
      if (until !== null || performance.now() - startedAt > LEASES_RENEWED_WITHIN_MS) throw doubtfulClaim(withoutPeriod(because), nextStep);
    },
  });
}

function unrecorded(crd: Crd, { runId }: Proof): string | null {
  const run = readableRecord(crd)?.runs.find(({ id }) => id === runId);
  if (!run) return "the annotation has no record of the rewrite that it names";
  return run.phase === "succeeded" ? null : `the rewrite that it names is recorded as ${run.phase}`;
}

function unseen(connection: Connection, crd: Crd): string | null {
  const versions = unseenVersions(withOwnEvidence(connection, crd));
  return versions.length === 0 ? null : `crdshift can't see what objects stored as ${versions.join(", ")} would lose`;
}

async function unlikely(connection: Connection, crd: Crd, proof: Proof, signal: AbortSignal): Promise<string | null> {
  const { resourceVersion, total } = await listObjects(connection, crd, { version: proof.storageVersion, limit: 1, signal });
  const inOrder = [proof.settleResourceVersion, proof.verifiedResourceVersion, resourceVersion];
  if (inOrder.some((one, index) => index > 0 && compareResourceVersions(inOrder[index - 1] ?? "", one) > 0)) {
    return "its resourceVersions don't fit the list of objects";
  }
  if (total !== null && total > MOST_VERIFIED) return `there are ${formatCount(total)} objects to verify`;
  return null;
}
