import type { CommandContext } from "#lib/cli/command-context.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { AppError, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { rewriteFirst } from "#lib/rewrite/commands/doubtful-claim.ts";
import { untilOnRecord } from "./until-on-record.ts";

const READ_WITHIN_MS = 10_000;
const STOPPED_READ_WITHIN_MS = 2_000;

/** The error of a prune whose verification of a proof may have found something, once that is on record, or this process no longer tries. */
export async function afterRecording(error: unknown, crdName: string, context: CommandContext): Promise<unknown> {
  const wasRecording = await untilOnRecord(context, "Recording what the verification of the proof has found.");
  const wasUnrecorded = isAppError(error) && error.details?.unrecorded === true;
  if (!wasRecording && !wasUnrecorded) return error;
  // Whoever stopped it waits.
  const within = AbortSignal.timeout(context.stop.signal.aborted ? STOPPED_READ_WITHIN_MS : READ_WITHIN_MS);
  const now = await readCrd(context.connection, crdName, within).catch(() => null);
  const isOnRecord = now !== null && !mayPruneOn(now.crd);
  if (isOnRecord && !wasUnrecorded) return error;
  const what =
    now === null ? "crdshift can't tell whether what it found is on record. If not," : "crdshift couldn't record what it found, so";
  const unrecorded = `${what} another crdshift may still prune on that proof. Rewrite ${crdName} before anyone prunes.`;
  const nextStep = isOnRecord ? rewriteFirst(crdName) : unrecorded;
  if (isAppError(error)) {
    const { code, message, clusterMessage, details } = error;
    return new AppError(code, message, { nextStep, clusterMessage, ...(details && { details }), cause: error });
  }
  if (!context.stop.signal.aborted) return error;
  return new AppError("precondition_failed", "The verification of the proof was stopped.", { nextStep, cause: error });
}

/** Whether another crdshift may take the record for a proof. Without one there is nothing to prune on, whoever took it away. */
function mayPruneOn(crd: Crd): boolean {
  if (crd.record === null) return false;
  const record = readableRecord(crd);
  return record === null || (record.doubt === null && record.proof !== null);
}
