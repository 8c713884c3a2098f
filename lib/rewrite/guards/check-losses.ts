import { readMutating } from "#lib/cluster/admission/mutating-admission.ts";
import { signed, withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { errorWords } from "#lib/contract/app-error.ts";
import { DEFAULT_SAMPLE_SIZE } from "#lib/contract/rewrite/dry-run.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { validDryRun, validProof, validSettlePoint } from "#lib/domain/record/valid-evidence.ts";
import { formatCount } from "#lib/domain/wording/format-count.ts";
import { runDryRun } from "#lib/rewrite/dry-run/run-dry-run.ts";
import { readingSuffices } from "#lib/rewrite/dry-run/version-schemas.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { stopOf } from "#lib/rewrite/record/stop-of.ts";
import { updateHeld } from "#lib/rewrite/record/update-held.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { asksAnew, heldBack } from "./accept-losses.ts";
import { admissionOf } from "./admission-watch.ts";
import { guardAfter, hasTriedAll, mayBelieve, provenGuard } from "./loss-guard.ts";

/**
 * Prevents unannounced losses: the run makes its own dry run first, unless this installation has recorded a dry run or a proof that still
 * holds and knows the losses, or losses were accepted unseen. Losses that were unknown for a reason that may have passed need a new one.
 * What the dry run didn't try is guarded. The settle wait continues meanwhile, except of a delegated run, for which it is over. Tells whether
 * to check again once it is over, which saves a check of each object: reading is so cheap, and only then it shows what all API servers do.
 * @throws StopRun unproven if something would be lost or the dry run can't tell.
 */
export async function checkLosses(progress: Progress, { settled }: { settled: boolean }): Promise<"done" | "again"> {
  const { heldRun, identity, gate, signal, state, onPatch } = progress;
  const { connection, crd, control } = heldRun;
  // If every object gets a patch, objects that a proof or a dry run counted as current are checked too.
  const everyObject = state.run.verify === "every-object";
  const accepted = state.run.acceptedLosses;
  const own = withOwnEvidence(connection, crd);
  if (accepted?.unseen) return "done";
  const admission = admissionOf(connection, crd, identity.storageVersion, gate, signal);
  // The cluster's own engine checks no object before it writes, so the dry run has to try every object.
  const delegated = state.run.delegation !== null;
  const nothing = nothingRewritten(progress);
  const isProven = validProof(own) !== null;
  if (isProven && !everyObject) {
    state.guard = provenGuard(admission, accepted);
    return "done";
  }
  const settlePoint = everyObject ? null : validSettlePoint(own);
  const recorded = validDryRun(own);
  const mayRead = async () => (await readingSuffices({ connection, crd, gate, signal })) !== null;
  const isTooEarly = settled && recorded?.settled === false && (await mayRead());
  const known = recorded && !isTooEarly && !asksAnew(own, recorded, state.run) ? recorded : null;
  const refuseHeld = (dryRun: DryRunRecord) => {
    const holding = heldBack(own, dryRun, state.run);
    if (holding) throw new StopRun("unproven", `${nothing}: ${holding.message} ${holding.nextStep}`);
  };
  if (known && (!delegated || (hasTriedAll(known, settlePoint) && (await mayBelieve(crd, known, { admission: admission.now }))))) {
    state.guard = guardAfter(crd, known, accepted, { admission, isProven });
    // The start refused it by what the record said, which may hold others' evidence.
    refuseHeld(known);
    return !known.settled && (await mayRead()) ? "again" : "done";
  }
  const { dryRun, record: found } = await runDryRun({
    ...{ connection, crd, identity, gate, signal, pacer: control.pacer },
    startedBy: state.run.startedBy,
    readsFirst: !delegated,
    everyCurrent: delegated && everyObject,
    sampleSize: delegated ? Number.MAX_SAFE_INTEGER : DEFAULT_SAMPLE_SIZE,
    runId: state.run.id,
    onPatch,
    onProgress({ id, dryRun }) {
      const of = dryRun.planned === null ? "" : ` of ${formatCount(dryRun.planned)}`;
      const rate = control.pacer.maxPerSecond();
      const pace = rate === null ? "" : `, limited to ${formatCount(rate)} a second`;
      const statusReason = `Dry run first: ${formatCount(dryRun.checked)}${of} objects checked${pace}. Nothing is stored.`;
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
  const write = () => updateHeld(heldRun, identity, (record) => ({ ...record, dryRun: made }), signal);
  await throughGate(gate, signal, write);
  state.run = { ...state.run, statusReason: null };
  // The guard reads admission again before the first write. The dry run's own reading would equal itself, and hide what was installed
  // while the dry run and the settle wait took their time.
  state.guard = guardAfter(crd, made, accepted, { admission, isProven });
  refuseHeld(made);
  if (delegated && !hasTriedAll(made, settlePoint)) {
    throw new StopRun(
      "unproven",
      `${nothing}: the dry run couldn't see what every object would lose, and the cluster's own engine doesn't check objects first. ` +
        "Rewrite with crdshift's own engine, which checks each object before it writes, or accept losses unseen.",
    );
  }
  return made.settled || made.onlyRead === 0 ? "done" : "again";
}

/** For later readers too, who may see rewrites of other runs beside it. */
function nothingRewritten({ heldRun: { run } }: Progress): string {
  return run.settledAt !== null || run.rewrittenAtLeast ? "It rewrote nothing more since it was resumed" : "It rewrote nothing";
}

/**
 * Refuses to delegate a rewrite unless crdshift can read that nothing may change its objects in admission: the cluster's own engine checks
 * no object first. A dry run tells only what admission makes of crdshift's writes, and a webhook or policy may treat
 * kube-controller-manager's differently. Waits for an outage to end. What that engine has begun, a resumed run follows to its end.
 * @throws StopRun unproven with the denial, or with what may change objects.
 */
export async function requireNoMutatingAdmission(progress: Progress): Promise<void> {
  const { heldRun, identity, gate, signal, state } = progress;
  const { connection, crd } = heldRun;
  const phase = state.run.delegation?.phase ?? "pending";
  if (state.run.acceptedLosses?.unseen || phase !== "pending") return;
  const nothing = nothingRewritten(progress);
  const request = { connection, crd, version: identity.storageVersion, signal };
  const { webhooks, policies } = readMutating(request, (send) => throughGate(gate, signal, send));
  const both = async () => {
    // Waits for both, so that whoever may list neither is always told of the same one.
    await Promise.allSettled([webhooks, policies]);
    return [...(await webhooks), ...(await policies)];
  };
  const [first, ...rest] = await both().catch((error: unknown) => {
    signal.throwIfAborted();
    if (isStopRun(error) || stopOf(error).phase === "interrupted") throw error;
    throw new StopRun(
      "unproven",
      `${nothing}: crdshift can't read the mutating webhooks and policies, and the cluster's own engine doesn't check objects before it ` +
        `writes. ${errorWords(error)} Ask for the right to list them, rewrite with crdshift's own engine, or accept losses unseen.`,
    );
  });
  if (!first) return;
  const others = rest.length > 0 ? ` and ${rest.length} more` : "";
  throw new StopRun(
    "unproven",
    `${nothing}: the ${first.kind} ${first.name}${others} may change objects, and a dry run can't show how it treats the writes of the cluster's ` +
      "own engine, which kube-controller-manager sends. Rewrite with crdshift's own engine, which checks each object " +
      "before it writes.",
  );
}
