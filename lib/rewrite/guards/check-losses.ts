import { DEFAULT_SAMPLE_SIZE } from "#lib/contract/rewrite/dry-run.ts";
import { type DryRunRecord, dryRunRecord, sawEverything } from "#lib/domain/losses/dry-run.ts";
import { validDryRun, validProof } from "#lib/domain/rewrite/valid-proof.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { heldBack } from "#lib/rewrite/commands/accept-losses.ts";
import { runDryRun } from "#lib/rewrite/dry-run/run-dry-run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { held } from "#lib/rewrite/record/hold-run.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import type { Progress } from "#lib/rewrite/run/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * Prevents unannounced losses: the run makes its own dry run first, unless the definition has a valid dry run or a proof, or the losses
 * were accepted. The settle wait continues meanwhile.
 * @throws StopRun unproven if something would be lost or the dry run can't tell.
 */
export async function checkLosses({ job, identity, gate, signal, state, onPatch }: Progress): Promise<void> {
  const { connection, crd, control } = job;
  // If every object gets a patch, objects that a proof or a dry run counted as current are checked too.
  const everyObject = state.run.verify === "every-object";
  const mustGuard = (record: DryRunRecord) => !sawEverything(record) || (everyObject && record.alreadyCurrent > 0);
  if (state.run.acceptedLosses || (validProof(crd) && !everyObject)) return;
  const known = validDryRun(crd);
  // The cluster's own engine checks no object before it writes, so the dry run has to try every object.
  const delegated = state.run.delegation !== null;
  if (known && !(delegated && mustGuard(known))) {
    state.guarded = mustGuard(known);
    return;
  }
  const dryRun = await runDryRun({
    ...{ connection, crd, identity, gate, signal, pacer: control.pacer },
    startedBy: state.run.startedBy,
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
  const recorded = dryRunRecord(dryRun);
  const write = () =>
    updateRecord(connection, crd.name, (now, record) => ({ ...held(now, record, job, identity), dryRun: recorded }), signal);
  await throughGate(gate, signal, write);
  state.run = { ...state.run, statusReason: null };
  state.guarded = mustGuard(recorded);
  // Phrased for later readers too, who may see rewrites of other runs beside it.
  const nothing = job.run.settledAt === null ? "It rewrote nothing" : "It rewrote nothing more since it was resumed";
  const holding = heldBack(recorded, state.run);
  if (holding) throw new StopRun("unproven", `${nothing}: ${holding.message} ${holding.nextStep}`);
  if (delegated && state.guarded) {
    throw new StopRun(
      "unproven",
      `${nothing}: the dry run couldn't see what every object would lose, and the cluster's own engine doesn't check objects first. ` +
        "Rewrite with crdshift's own engine, which checks each object before it writes, or accept losses unseen.",
    );
  }
}
