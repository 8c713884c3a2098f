import { noteDisproved } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { rememberDoubt } from "#lib/cluster/definitions/evidence/remembered-doubt.ts";
import { type Finding, withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { withDoubt } from "#lib/domain/record/doubt.ts";
import { EMPTY_RECORD, type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { updateHeld } from "#lib/rewrite/record/hold-run.ts";
import { withdrawAnyway } from "#lib/rewrite/record/withdraw-anyway.ts";
import { withDoubtForWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import type { Disproof } from "./pass.ts";
import { isStopRun } from "./stop-run.ts";

/**
 * Removes what objects disprove from the record and leaves a doubt in it, once for each kind, and resolves when that is written. It is
 * withdrawn from then on: whatever ends the run before the write, its end is written without it, and with the doubt. If the run is no longer
 * this process's, that is written all the same; but a write without an answer disproves nothing then if it turns out not to have been stored.
 */
export function withdrawingEvidence(progress: Progress): (disproof: Disproof) => Promise<void> {
  const { heldRun, identity, state, signal } = progress;
  const writeOnce = oncePerKind((disproof) => leaveDoubt(progress, disproof));
  const withdraw = (disproof: Disproof) => {
    const { of, found } = disproof;
    if (of === "settle-point" && found === "changed") noteDisproved(heldRun.connection, identity.uid);
    withdrawEvidence(heldRun.connection, identity.uid, disproof);
    if (of === "proof" && isExpected(progress)) {
      state.expected ??= disproof;
      return Promise.resolve();
    }
    return writeOnce(disproof);
  };
  return (disproof) => {
    const { wasNothing } = disproof;
    if (!wasNothing || !isElsewhere(signal)) return withdraw(disproof);
    // Whoever has taken it over may have proven all of it since, and this process has only been asleep.
    const checked = wasNothing(heldRun.settleSeconds * 1_000).then((isNothing) => (isNothing ? undefined : withdraw(disproof)));
    progress.withdrawals.push(checked.catch(() => {}));
    return checked;
  };
}

function isElsewhere({ aborted, reason }: AbortSignal): boolean {
  return aborted && isStopRun(reason) && reason.phase === "elsewhere";
}

/** Writes for the first disproof of each kind, and resolves for each later one once that is written. */
export function oncePerKind(write: (disproof: Disproof) => Promise<void>): (disproof: Disproof) => Promise<void> {
  const begun = new Map<Disproof["of"], Promise<void>>();
  return (disproof) => {
    const writing = begun.get(disproof.of) ?? write(disproof);
    begun.set(disproof.of, writing);
    return writing;
  };
}

/**
 * Leaves the doubt for a finding that was expected when it was made, as soon as it no longer is: the list of versions has become shorter
 * since, and perhaps nothing more will be found before this process dies. Returns a function that unsubscribes.
 */
export function doubtOnceUnexpected(progress: Progress): () => void {
  const { heldRun, state } = progress;
  const unsubscribe = fleetOf(heldRun.connection).follow(heldRun.crd.name, () => {
    if (!state.expected || isExpected(progress)) return;
    unsubscribe();
    // What fails here is remembered, and the run goes on.
    leaveDoubt(progress, state.expected).catch(() => {});
  });
  return unsubscribe;
}

function leaveDoubt(progress: Progress, finding: Finding): Promise<void> {
  const { connection, crd } = progress.heldRun;
  const writing = writeDoubt(progress, finding);
  // The end of a run that another crdshift has taken over is written by that one, which knows nothing of it.
  const withdrawn = writing.catch((error: unknown) => (isStopRun(error) ? withdrawAnyway(connection, crd) : undefined));
  progress.withdrawals.push(withdrawn);
  return writing;
}

async function writeDoubt({ heldRun, identity, gate, signal }: Progress, { foundAt: seenAt }: Finding): Promise<void> {
  const withdraw = (record: RewriteRecord, now: Crd) => withDoubtForWithdrawn(heldRun.connection, record, now);
  try {
    await throughGate(gate, signal, () => updateHeld(heldRun, identity, withdraw, signal));
  } catch (error) {
    // The object that was found may not be counted yet, so the run's end would say nothing of it.
    const { doubt } = withDoubt(EMPTY_RECORD, heldRun.crd);
    if (doubt) rememberDoubt(heldRun.connection, identity.uid, { doubt, seenAt, run: heldRun.run.id });
    throw error;
  }
}

/**
 * Whether nobody takes such an object for proven, so that no one needs a doubt before the run's end: leftover versions are listed, and no
 * proof is recorded. The list may become shorter while the run works; the reading twice a second tells, even if the watch hangs
 * (confirmDefinition). The cluster's own engine shortens it for a delegated run when it ends, which may be told only later.
 */
function isExpected({ heldRun, state }: Progress): boolean {
  if (state.run.delegation) return false;
  const now = fleetOf(heldRun.connection).crd(heldRun.crd.name) ?? heldRun.crd;
  return leftoverVersions(now).length > 0 && (readableRecord(now)?.proof ?? null) === null;
}
