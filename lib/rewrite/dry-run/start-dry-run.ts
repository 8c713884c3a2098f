import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { noticedRestore } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { lacksRoomForAnnotations } from "#lib/cluster/transport/refused-writes.ts";
import { AppError, errorWords, isAppError } from "#lib/contract/app-error.ts";
import { DEFAULT_SAMPLE_SIZE, type StartDryRun } from "#lib/contract/rewrite/dry-run.ts";
import { knownUser } from "#lib/domain/audit/known-user.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import type { RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { crdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import { unwritableRecord } from "#lib/domain/rewrite/refusals.ts";
import { logProblem } from "#lib/process-wide/log-problem.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { updateRecord } from "#lib/rewrite/record/update-record.ts";
import { beginInRoom } from "./dry-runs.ts";
import { beginDryRun } from "./run-dry-run.ts";

const WRITE_TIMEOUT_MS = 30_000;

/**
 * Starts a dry run in the background. If allowed, it records its findings in the definition's annotation, where losses that are not
 * accepted hold back a rewrite.
 * @throws AppError precondition_failed if nothing could be rewritten, too_many_requests if 4 dry runs of the person are running, or 16 of
 * everyone and none has to make room.
 */
export async function startDryRun(
  connection: Connection,
  crdName: string,
  { sampleSize = DEFAULT_SAMPLE_SIZE, signal }: StartDryRun & { signal: AbortSignal },
): Promise<DryRun> {
  const { crd } = await readCrd(connection, crdName, signal);
  const identity = crdIdentity(crd);
  const storage = storageVersion(crd);
  if (!identity || !storage?.served) {
    throw new AppError("precondition_failed", "The storage version is not served, so nothing can be rewritten.", {
      nextStep: "Serve it, or make a served version the storage version.",
    });
  }
  const startedBy = await whoAmI(connection, signal);
  const user = knownUser(startedBy);
  // Whose token it is was confirmed when they signed in, by their whole name; a label may be the beginning of several.
  const person = connection.userName() !== null || user === null ? connection.person() : `user ${user}`;
  const begin = () => {
    const { known, ended } = beginDryRun({
      ...{ connection, crd, identity, startedBy, sampleSize },
      ...{ gate: createGate(), pacer: createPacer(null), signal: new AbortController().signal },
      record: (dryRun, within) => remember(connection, crdName, dryRun, within),
    });
    const unsubscribe = fleetOf(connection).follow(crdName, (now) => {
      const isLater = now !== null && compareResourceVersions(now.resourceVersion, crd.resourceVersion) > 0;
      const change = isLater ? identityChange(now, identity) : null;
      if (change !== null) known.stop.abort(changedMeanwhile(change));
    });
    void ended.finally(unsubscribe);
    return known;
  };
  const { current } = await beginInRoom(person, begin, signal);
  return current;
}

/**
 * Records the findings. Returns why that couldn't be done, for people, or null.
 * @throws AppError precondition_failed if they say nothing of the definition as it is now.
 */
async function remember(connection: Connection, crdName: string, dryRun: DryRunRecord, within: AbortSignal): Promise<string | null> {
  const signal = AbortSignal.any([within, AbortSignal.timeout(WRITE_TIMEOUT_MS)]);
  const read: { fault: AppError | null } = { fault: null };
  const write = (now: Crd, record: RewriteRecord): RewriteRecord => {
    read.fault = whyVoid(connection, now, dryRun);
    if (read.fault) return record;
    const refusal = unwritableRecord(now);
    if (refusal) throw refuse(refusal);
    return { ...record, dryRun: signed(dryRun) };
  };
  const unrecorded = await updateRecord(connection, crdName, write, signal).then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (read.fault) throw read.fault;
  if (unrecorded === null) return null;
  if (isAppError(unrecorded.error) && unrecorded.error.code === "not_found")
    throw new AppError("precondition_failed", "The definition was deleted while the dry run was running.");
  return whyUnrecorded(unrecorded.error);
}

function whyVoid(connection: Connection, now: Crd, dryRun: DryRunRecord): AppError | null {
  const change = identityChange(now, dryRun);
  if (change !== null) return changedMeanwhile(change);
  const restored = noticedRestore(connection);
  if (!restored || restored.at < (dryRun.startedAt ?? dryRun.endedAt)) return null;
  return new AppError("precondition_failed", "etcd was restored from a backup while the dry run was running.", {
    nextStep: "Repeat the dry run: the objects that it tried may have changed.",
  });
}

function changedMeanwhile(change: string): AppError {
  return new AppError("precondition_failed", `The definition changed while the dry run was running: ${change}.`, {
    nextStep: "Repeat the dry run.",
  });
}

// Without the right to write the annotation, the dry run's page still shows the findings.
function whyUnrecorded(error: unknown): string | null {
  const message = isAppError(error) ? errorWords(error) : String(error);
  logProblem("warn", { message: `A dry run couldn't be recorded. ${message}` });
  // The record is a newer crdshift's, or the API server refuses every change of the definition.
  if (isAppError(error) && error.code === "precondition_failed") {
    return ["These findings couldn't be recorded.", message, error.nextStep].filter(Boolean).join(" ");
  }
  const answer = clusterAnswer(error);
  if (!answer || !lacksRoomForAnnotations(answer)) return null;
  return (
    "These findings couldn't be recorded, because the definition's annotations, which share 256 KiB, leave no room. " +
    "Remove one that nothing needs, then repeat the dry run."
  );
}
