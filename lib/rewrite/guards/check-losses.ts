import { signed, withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { DEFAULT_SAMPLE_SIZE } from "#lib/contract/rewrite/dry-run.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { validDryRun, validProof, validSettlePoint } from "#lib/domain/rewrite/valid-proof.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { asksAnew, heldBack } from "#lib/rewrite/commands/accept-losses.ts";
import { runDryRun } from "#lib/rewrite/dry-run/run-dry-run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { held } from "#lib/rewrite/record/hold-run.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { admissionOf } from "./admission-of.ts";
import { guardAfter, hasTriedAll, mayBelieve, provenGuard } from "./loss-guard.ts";
import { requireNoMutatingAdmission } from "./require-no-mutating-admission.ts";

/**
 * Prevents unannounced losses: the run makes its own dry run first, unless this installation has recorded a dry run or a proof that still
 * holds and knows the losses, or losses were accepted unseen. Losses that were unknown for a reason that may have passed need a new one.
 * What the dry run didn't try is guarded. The settle wait continues meanwhile.
 * @returns the dry run that the run relies on; null if it relies on none.
 * @throws StopRun unproven if something would be lost or the dry run can't tell.
 */
export async function checkLosses(progress: Progress): Promise<DryRunRecord | null> {
  const { job, identity, gate, signal, state, onPatch } = progress;
  const { connection, crd, control } = job;
  // If every object gets a patch, objects that a proof or a dry run counted as current are checked too.
  const everyObject = state.run.verify === "every-object";
  const accepted = state.run.acceptedLosses;
  const own = withOwnEvidence(connection, crd);
  if (accepted?.unseen) return null;
  const admission = admissionOf(connection, crd, identity.storageVersion, gate, signal);
  // The cluster's own engine checks no object before it writes, so the dry run has to try every object.
  const delegated = state.run.delegation !== null;
  // Phrased for later readers too, who may see rewrites of other runs beside it.
  const mayHaveRewritten = job.run.settledAt !== null || job.run.rewrittenAtLeast;
  const nothing = mayHaveRewritten ? "It rewrote nothing more since it was resumed" : "It rewrote nothing";
  // Now rather than after the dry run and the settle wait. What that engine has begun, a resumed run follows to its end.
  const phase = state.run.delegation?.phase ?? "pending";
  if (delegated && phase === "pending") await requireNoMutatingAdmission(progress, nothing);
  const isProven = validProof(own) !== null;
  if (isProven && !everyObject) {
    state.guard = provenGuard(admission, accepted);
    return null;
  }
  const settlePoint = everyObject ? null : validSettlePoint(own);
  const recorded = validDryRun(own);
  const known = recorded && !asksAnew(own, recorded, state.run) ? recorded : null;
  const refuseHeld = (dryRun: DryRunRecord) => {
    const holding = heldBack(own, dryRun, state.run);
    if (holding) throw new StopRun("unproven", `${nothing}: ${holding.message} ${holding.nextStep}`);
  };
  if (known && (!delegated || (hasTriedAll(known, settlePoint) && (await mayBelieve(crd, known, { admission: admission.now }))))) {
    state.guard = guardAfter(crd, known, accepted, { admission, isProven });
    // The start refused it by what the record said, which may hold others' evidence.
    refuseHeld(known);
    return known;
  }
  const { dryRun, record: found } = await runDryRun({
    ...{ connection, crd, identity, gate, signal, pacer: control.pacer },
    startedBy: state.run.startedBy,
    everyCurrent: delegated && everyObject,
    sampleSize: delegated ? Number.MAX_SAFE_INTEGER : DEFAULT_SAMPLE_SIZE,
    runId: state.run.id,
    onPatch,
    onProgress({ id, dryRun }) {
      const of = dryRun.planned === null ? "" : ` of ${formatCount(dryRun.planned)}`;
      const rate = control.pacer.maxPerSecond();
      const pace = rate === null ? "" : `, limited to ${formatCount(rate)} a second`;
      const statusReason = `Dry run first: ${formatCount(dryRun.checked)}${of} objects tried${pace}. Nothing is stored.`;
      state.run = { ...state.run, dryRun: id, statusReason };
    },
  });
  if (dryRun.phase !== "succeeded") {
    throw new StopRun(
      "unproven",
      `crdshift couldn't find out what would be lost: ${dryRun.message ?? "the dry run failed."} Fix the cause, or accept losses unseen.`,
    );
  }
  const made = signed(found);
  const write = () => updateRecord(connection, crd.name, (now, record) => ({ ...held(now, record, job, identity), dryRun: made }), signal);
  await throughGate(gate, signal, write);
  state.run = { ...state.run, statusReason: null };
  // The guard reads admission again before the first write. The dry run's own reading would equal itself, and hide what was installed
  // while the dry run and the settle wait took their time.
  state.guard = guardAfter(crd, made, accepted, { admission, isProven });
  refuseHeld(made);
  // Made anew once the definition has settled.
  if (delegated && made.settled && !hasTriedAll(made, settlePoint)) {
    throw new StopRun(
      "unproven",
      `${nothing}: the dry run couldn't see what every object would lose, and the cluster's own engine doesn't check objects first. ` +
        "Rewrite with crdshift's own engine, which checks each object before it writes, or accept losses unseen.",
    );
  }
  return made;
}
