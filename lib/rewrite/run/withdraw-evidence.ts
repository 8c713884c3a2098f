import { onceForEach } from "#lib/async/once-for-each.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { noteDisproved } from "#lib/cluster/definitions/evidence/disproved-at.ts";
import { rememberDoubt } from "#lib/cluster/definitions/evidence/remembered-doubt.ts";
import { type Finding, withdrawEvidence } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { shuttingDown } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { withDoubt } from "#lib/domain/record/doubt.ts";
import { EMPTY_RECORD, type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { isShuttingDown } from "#lib/process-wide/shutdown.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { updateHeld } from "#lib/rewrite/record/update-held.ts";
import { withdrawAnyway } from "#lib/rewrite/record/withdraw-anyway.ts";
import { withDoubtForWithdrawn } from "#lib/rewrite/record/without-withdrawn.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import type { Disproof } from "./pass.ts";
import { isStopRun } from "./stop-run.ts";
import { endAtShutdown } from "./work-beside-runs.ts";

/**
 * Removes what objects disprove from the record and leaves a doubt in it, once for each kind, and resolves when that is written. It is
 * withdrawn from then on: whatever ends the run before the write, its end is written without it, and with the doubt. If the run is no longer
 * this process's, that is written all the same. What a write without an answer may disprove waits for the run's end.
 */
export function withdrawingEvidence(progress: Progress): (disproof: Disproof) => Promise<void> {
  const { heldRun, identity, state } = progress;
  const writeOnce = onceForEach(
    ({ of }: Disproof) => of,
    (disproof) => leaveDoubt(progress, disproof),
  );
  return (disproof) => {
    if (disproof.wasNothing) {
      progress.unanswered.push(disproof);
      return Promise.resolve();
    }
    withdrawHere(heldRun.connection, identity.uid, disproof);
    if (disproof.of === "proof" && isExpected(progress)) {
      state.expected ??= disproof;
      return Promise.resolve();
    }
    return writeOnce(disproof);
  };
}

/** From now on, this process takes nothing for proven that the finding disproves. */
export function withdrawHere(connection: Connection, uid: string, disproof: Disproof): void {
  if (disproof.of === "settle-point" && disproof.found === "changed") noteDisproved(connection, uid);
  withdrawEvidence(connection, uid, disproof);
}

/**
 * For a run that another process holds by now, or that no record has: withdraws what writes without an answer disprove, except those that
 * turn out not to have been stored. Whoever has taken the run over may have proven everything since, and this process may only have slept.
 */
export function withdrawIfStored(progress: Progress): void {
  const { heldRun, identity, unanswered } = progress;
  const stop = new AbortController();
  if (isShuttingDown()) stop.abort(shuttingDown());
  let written = Promise.resolve();
  const withdrawing = unanswered.map(async (disproof) => {
    if (await disproof.wasNothing?.(heldRun.settleSeconds * 1_000, stop.signal)) return;
    withdrawHere(heldRun.connection, identity.uid, disproof);
    rememberFound(heldRun, disproof);
    if (disproof.of === "proof" && isExpected(progress)) return;
    // One after the other, since they would conflict.
    written = written.then(async () => void (await withdrawAnyway(heldRun.connection, heldRun.crd)));
    await written;
  });
  untilOnRecord(progress, Promise.all(withdrawing), stop);
}

/** The same for a run whose end couldn't be recorded: as far as is known, nobody else has taken it over. */
export function withdrawUnanswered(progress: Progress): void {
  const { heldRun, identity, unanswered } = progress;
  if (unanswered.length === 0) return;
  for (const disproof of unanswered) {
    withdrawHere(heldRun.connection, identity.uid, disproof);
    rememberFound(heldRun, disproof);
  }
  untilOnRecord(progress, withdrawAnyway(heldRun.connection, heldRun.crd));
}

/** The run's end waits for it, but not for long; a process that ends later does so, too. */
function untilOnRecord(progress: Progress, withdrawn: Promise<unknown>, stop = new AbortController()): void {
  progress.withdrawals.push(withdrawn);
  endAtShutdown({ stop, ended: withdrawn });
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
  untilOnRecord(progress, withdrawn);
  return writing;
}

async function writeDoubt(progress: Progress, finding: Finding): Promise<void> {
  const { heldRun, identity, gate, signal } = progress;
  const withdraw = (record: RewriteRecord, now: Crd) => withDoubtForWithdrawn(heldRun.connection, record, now);
  try {
    await throughGate(gate, signal, () => updateHeld(heldRun, identity, withdraw, signal));
  } catch (error) {
    rememberFound(heldRun, finding);
    throw error;
  }
}

/**
 * Remembers the doubt that a finding leaves, which can't be written yet: whatever this process writes next has it. The object that was found
 * may not be counted, so the run's end would say nothing of it.
 */
export function rememberFound(
  { connection, crd, run }: { connection: Connection; crd: Crd; run: Pick<Run, "id"> },
  { foundAt: seenAt }: Pick<Finding, "foundAt">,
): void {
  const { doubt } = withDoubt(EMPTY_RECORD, crd);
  if (doubt) rememberDoubt(connection, crd.uid, { doubt, seenAt, run: run.id });
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
