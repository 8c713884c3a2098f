import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd, writeRecord } from "#lib/cluster/definitions/crds.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { clusterAnswer, withAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { isTooLargeForEtcd, lacksRoomForAnnotations } from "#lib/cluster/transport/refused-writes.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { doubtIn, keptDoubt } from "#lib/domain/record/doubt.ts";
import { withPruneDecided } from "#lib/domain/record/last-prune.ts";
import { noRoomForRecord, noRoomInEtcd, RECORD_ANNOTATION } from "#lib/domain/record/record-room.ts";
import { EMPTY_RECORD, type RewriteRecord, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { unreadableRecord } from "#lib/domain/record/unreadable-record.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { refuseOlder } from "#lib/rewrite/guards/older-state.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";

const MAX_ATTEMPTS = 5;

/** The newest run in a record of which updateRecord wrote one. */
export function writtenRun(written: Crd): Run {
  const run = readableRecord(written)?.runs[0];
  if (!run) throw notKept(written);
  return run;
}

/**
 * Changes crdshift's record on a definition: reads the definition, applies `change`, and writes with its resourceVersion; starts over on
 * a conflict, at most five times. To write nothing, `change` throws or returns the same record object. `full` writes the record at its
 * longest, to find out whether there is room for later ones.
 * @throws AppError precondition_failed rather than replace a record that can't be read, for which `change` gets an empty one, if the
 * definition leaves no room, if it is older than this process knows it, and if what came back is not the record that was sent.
 * @returns the definition as written.
 */
export async function updateRecord(
  connection: Connection,
  crdName: string,
  change: (crd: Crd, record: RewriteRecord, serverTime: number) => RewriteRecord,
  signal: AbortSignal,
  { full = false } = {},
): Promise<Crd> {
  for (let attempt = 1; ; attempt += 1) {
    const known = fleetOf(connection).lastKnown(crdName);
    const { crd, serverTime } = await readCrd(connection, crdName, signal);
    const kept = { ...(readableRecord(crd) ?? EMPTY_RECORD), uid: crd.uid, doubt: keptDoubt(crd, Date.now()) };
    const before = withPruneDecided(kept, crd);
    const record = change(crd, before, serverTime ?? Date.now());
    if (record === before) return crd;
    const unreadable = unreadableRecord(crd);
    if (unreadable) throw refuse(unreadable);
    refuseOlder(connection, crd, known);
    try {
      const sent = withoutDoubted(record, crd);
      const note = fleetOf(connection).beginRead();
      const written = await writeRecord(connection, crd, sent, signal, { full });
      note(written);
      if (!isKept(sent, written)) throw notKept(written);
      return written;
    } catch (error) {
      if (!(isAppError(error) && error.code === "conflict") || attempt >= MAX_ATTEMPTS) throw lacksRoom(crd, error) ?? error;
    }
  }
}

// A webhook may also put back what was there before. The record may have been cut to fit, so only what can't be cut counts.
function isKept({ holder, runs, proof, dryRun, doubt }: RewriteRecord, written: Crd): boolean {
  const kept = readableRecord(written);
  if (!kept) return false;
  const [sent, read] = [runs[0], kept.runs[0]];
  // What this process reads may have an end that it couldn't record in place of the run, until a resumption has been written.
  const isSameRun = sent?.id === read?.id && (sent?.renewedAt === read?.renewedAt || (sent?.endedAt === null && read?.endedAt !== null));
  const isSameDryRun = kept.dryRun === null || kept.dryRun.id === dryRun?.id;
  const isSameProof = kept.proof === null || kept.proof.runId === proof?.runId;
  return kept.holder === holder && isSameRun && isSameDryRun && isSameProof && kept.doubt?.rejected === doubt?.rejected;
}

function notKept({ name }: Crd): AppError {
  const message = `Admission removes or replaces crdshift's annotation ${RECORD_ANNOTATION} of ${name}, so crdshift can't record anything there.`;
  return new AppError("precondition_failed", message, {
    nextStep:
      "Look for a mutating webhook or policy that updates of definitions go through, and have it leave this annotation alone: " +
      "kubectl get mutatingwebhookconfigurations,mutatingadmissionpolicies. Then retry.",
  });
}

// The definition may have grown since the action was allowed. The answer stays: to a run at work, the lack of room is temporary.
function lacksRoom(crd: Crd, error: unknown): AppError | null {
  const answer = clusterAnswer(error);
  if (!answer) return null;
  const refusal = isTooLargeForEtcd(answer) ? noRoomInEtcd(crd) : lacksRoomForAnnotations(answer) ? noRoomForRecord(crd) : null;
  if (!refusal) return null;
  const { message, nextStep } = refusal;
  return withAnswer(new AppError("precondition_failed", message, { nextStep, clusterMessage: answer.message, cause: error }), answer);
}

// An older crdshift that writes the annotation drops the doubt, and must not leave a proof that only the doubt disproves.
function withoutDoubted(record: RewriteRecord, crd: Crd): RewriteRecord {
  const doubt = doubtIn(record, crd, Date.now());
  return { ...record, doubt, proof: doubt ? null : record.proof };
}
