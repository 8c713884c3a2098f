import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { type Proof, readableRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { fullName } from "#lib/domain/wording/full-name.ts";
import type { HeldRun } from "#lib/rewrite/record/held-run.ts";
import { KEPT_CHANGING } from "#lib/rewrite/run/object/rewrite-object.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { createTally, type Tally } from "#lib/rewrite/run/progress/tally.ts";
import { settleRun } from "#lib/rewrite/run/settle/settle-run.ts";
import { changesAgain } from "./changes-again.ts";
import { type Confirming, whileConfirmed } from "./confirm-definition.ts";
import { type PassResult, rewriteObjects } from "./rewrite-objects.ts";
import { StopRun } from "./stop-run.ts";
import type { UnconfirmedWrites } from "./unconfirmed-writes.ts";
import { withdrawingEvidence } from "./withdraw-evidence.ts";

const MAX_PASSES = 6;

/**
 * Repeats passes until one changes nothing; that pass is the verification. Null if objects were rejected. `taken` is a settle point of this
 * installation. One that anyone may have written, `claimed`, saves requests in the first pass, and is trusted in none that proves.
 * @throws StopRun if the run can't continue, and the signal's reason.
 */
export async function rewriteUntilProven(
  progress: Progress,
  taken: SettlePoint,
  claimed: SettlePoint,
): Promise<{ proof: Proof; statusReason: string | null } | null> {
  const { heldRun, identity, state } = progress;
  const everyObject = heldRun.run.verify === "every-object";
  // After another engine's rewrite, the first pass already verifies, and rewrites what that engine left.
  if (state.run.delegation?.phase === "succeeded") state.run = { ...state.run, phase: "verifying" };

  let settlePoint = taken;
  let result = await pass(progress, settlePoint, claimed.resourceVersion, progress.tally);
  let { marked } = result;
  for (let passes = 1; result.rejected === 0; passes += 1) {
    if (result.busy) throw new StopRun("failed", keptChanging(result.busy));
    const sawEnough = passes > 1 || (result.patched === 0 && !everyObject && claimed === taken);
    const isDisproved = result.disproving > 0 || isWithdrawn(heldRun, settlePoint);
    if (sawEnough && result.rewritten === 0 && !isDisproved)
      return { proof: proofOf(heldRun, identity, settlePoint, result), statusReason: slowDeletionWarning(marked) };
    if (result.changed && (await changesAgain(progress, result.changed))) throw new StopRun("failed", changedByAdmission(result.changed));
    if (passes >= MAX_PASSES)
      throw new StopRun("failed", "Objects keep changing when they are patched, or their writes get no answer; nothing is proven.");
    // Whatever stored an object at an older version after the settle point may not be done.
    if (isDisproved) {
      state.run = { ...state.run, phase: "settling" };
      settlePoint = await settleRun(progress);
    }
    beginVerifying(progress, settlePoint);
    const tally = createTally();
    let hasEnded = false;
    try {
      result = await pass(progress, settlePoint, everyObject ? null : settlePoint.resourceVersion, tally);
      hasEnded = true;
    } finally {
      // What it found by then is true, however it ends.
      progress.tally.amend(tally, hasEnded);
    }
    // Not of the last pass only: it may be below a newer settle point, and the deletion still at work.
    marked = Math.max(marked, result.marked);
  }
  return null;
}

/** Whether the record no longer has the settle point: another crdshift has found an object above it, which this pass took for current. */
function isWithdrawn({ connection, crd }: HeldRun, { resourceVersion }: SettlePoint): boolean {
  const record = readableRecord(fleetOf(connection).crd(crd.name) ?? crd);
  return record !== null && record.settlePoint?.resourceVersion !== resourceVersion;
}

function keptChanging(object: ObjectName): string {
  return `${fullName(object)} ${KEPT_CHANGING}; nothing is proven. Verify every object again when it is less busy.`;
}

function changedByAdmission(object: ObjectName): string {
  return (
    `A mutating webhook or policy changes objects with every update, such as ${fullName(object)}, so crdshift can't tell which of them were stored ` +
    "at an older version; nothing is proven. Exempt crdshift's user from it, or turn it off, then rewrite again."
  );
}

// Other requests end within a minute: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/
// (--request-timeout).
function slowDeletionWarning(marked: number): string | null {
  if (marked === 0) return null;
  return (
    `The deletion of ${formatCountOf(marked, "object")} held by finalizers may have begun after the settle point. If your API servers run with ` +
    "a --request-timeout above 60 s, a slow deletion of many objects may still store some at an older version: rewrite again once it has ended."
  );
}

function beginVerifying({ state }: Progress, { resourceVersion }: SettlePoint): void {
  state.run = { ...state.run, phase: "verifying", statusReason: null, settlesAt: null, settleResourceVersion: resourceVersion };
}

async function pass(progress: Progress, settlePoint: SettlePoint, skipAbove: string | null, tally: Tally): Promise<PassResult> {
  const { heldRun, identity, gate, writes, ownEntries, leftEntries, state, onPatch } = progress;
  const { connection, crd, run } = heldRun;
  const rewrite = (signal: AbortSignal) =>
    rewriteObjects({
      ...{ connection, crd, version: identity.storageVersion, gate, tally, onPatch, writes, runId: run.id, signal, skipAbove },
      ...{ ownEntries, leftEntries },
      settleResourceVersion: settlePoint.resourceVersion,
      settledAt: Date.parse(settlePoint.takenAt),
      checkAbove: state.checkAbove ?? settlePoint.resourceVersion,
      pacer: heldRun.control.pacer,
      // That writes an object without showing how it was stored, so every object gets its patch first.
      takesBack: run.verify !== "every-object" || skipAbove === null,
      verifying: state.run.phase === "verifying",
      throughStatus: run.throughStatus.allowed,
      keepOwnership: run.ownership.keep,
      guard: state.guard,
      onDisproof: withdrawingEvidence(progress),
    });
  return whileConfirmed(confirmingFor(progress), rewrite);
}

function confirmingFor({ heldRun, gate, writes, signal }: Progress): Confirming & { writes: UnconfirmedWrites } {
  return { connection: heldRun.connection, crd: heldRun.crd, gate, pacer: heldRun.control.pacer, writes, runId: heldRun.run.id, signal };
}

function proofOf({ run }: HeldRun, identity: CrdIdentity, settlePoint: SettlePoint, result: PassResult): Proof {
  return signed({
    ...identity,
    settleResourceVersion: settlePoint.resourceVersion,
    settleSeconds: settlePoint.settleSeconds,
    verifiedResourceVersion: result.resourceVersion,
    objects: result.objects,
    verify: run.verify,
    provenAt: new Date().toISOString(),
    runId: run.id,
    acceptedLosses: run.acceptedLosses,
    signature: null,
  });
}
