import { DEFAULT_SAMPLE_SIZE } from "#lib/contract/rewrite/dry-run.ts";
import { type DryRunRecord, dryRunRecord, sawEverything } from "#lib/domain/losses/dry-run.ts";
import { validDryRun, validProof } from "#lib/domain/rewrite/run.ts";
import { formatCount } from "#lib/domain/wording/counted.ts";
import { heldBack } from "#lib/rewrite/commands/accept-losses.ts";
import { runDryRun } from "#lib/rewrite/dry-run/run-dry-run.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { held } from "#lib/rewrite/record/hold-run.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import type { Progress } from "#lib/rewrite/run/run-rewrite.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";

/**
 * Sees to it that nothing is lost unannounced: unless there is a dry run of the definition as it is, or the losses were accepted, or
 * everything is proven, the run makes its own dry run first. The settle wait goes on meanwhile.
 * @throws StopRun blocked when something would be lost, or when the dry run could not tell.
 */
export async function checkLosses({ job, identity, gate, signal, state, onPatch }: Progress): Promise<void> {
  const { connection, crd, control } = job;
  // What a proof or a dry run took for current is looked at again where every object is to be patched.
  const everyObject = state.run.verify === "every-object";
  const mustGuard = (record: DryRunRecord) => !sawEverything(record) || (everyObject && record.alreadyCurrent > 0);
  if (state.run.acceptedLosses || (validProof(crd) && !everyObject)) return;
  const known = validDryRun(crd);
  // The cluster's own engine looks at no object before it writes it: for that every object has to be tried beforehand.
  const isDelegated = state.run.delegation !== null;
  if (known && !(isDelegated && mustGuard(known))) {
    state.guarded = mustGuard(known);
    return;
  }
  const dryRun = await runDryRun({
    ...{ connection, crd, identity, gate, signal, pacer: control.pacer },
    startedBy: state.run.startedBy,
    sampleSize: isDelegated ? Number.MAX_SAFE_INTEGER : DEFAULT_SAMPLE_SIZE,
    runId: state.run.id,
    onPatch,
    onProgress({ id, dryRun }) {
      const of = dryRun.planned === null ? "" : ` of ${formatCount(dryRun.planned)}`;
      const rate = control.pacer.maxPerSecond();
      const pace = rate === null ? "" : `, at most ${formatCount(rate)} a second as limited`;
      const statusReason = `Dry run first: ${formatCount(dryRun.checked)}${of} objects tried${pace}. Nothing is stored.`;
      state.run = { ...state.run, dryRun: id, statusReason };
    },
  });
  if (dryRun.phase !== "succeeded") {
    throw new StopRun(
      "blocked",
      `What would be lost could not be found out: ${dryRun.message ?? "the dry run failed."} Mend that, or accept losses unseen.`,
    );
  }
  const recorded = dryRunRecord(dryRun);
  const write = () =>
    updateRecord(connection, crd.name, (now, record) => ({ ...held(now, record, job, identity), dryRun: recorded }), signal);
  await throughGate(gate, signal, write);
  state.run = { ...state.run, statusReason: null };
  state.guarded = mustGuard(recorded);
  // Read long after this run as well, beside what others rewrote.
  const nothing = job.run.settledAt === null ? "It rewrote nothing" : "It rewrote nothing more since it was resumed";
  const holding = heldBack(recorded, state.run);
  if (holding) throw new StopRun("blocked", `${nothing}: ${holding.message} ${holding.nextStep}`);
  if (isDelegated && state.guarded) {
    throw new StopRun(
      "blocked",
      `${nothing}: the dry run could not see what each object would lose, and the cluster's own engine writes them unseen. ` +
        "Rewrite with crdshift's own engine, which looks at each object first, or accept losses unseen.",
    );
  }
}
