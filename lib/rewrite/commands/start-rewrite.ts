import { randomUUID } from "node:crypto";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { whoAmI } from "#lib/cluster/rights/read-rights.ts";
import { crdshiftVersion } from "#lib/cluster/transport/request.ts";
import { AppError } from "#lib/contract/app-error.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { REMEMBERED_RUNS } from "#lib/domain/record/rewrite-record.ts";
import { validDryRun } from "#lib/domain/record/valid-evidence.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import { migrationName } from "#lib/domain/rewrite/migration.ts";
import { rewriteRefusal } from "#lib/domain/rewrite/refusals.ts";
import type { Delegation, Run } from "#lib/domain/rewrite/run.ts";
import { startSentence } from "#lib/domain/rewrite/run-sentences.ts";
import { NOTHING_SENT } from "#lib/domain/rewrite/sent-patches.ts";
import { checkDelegation, refuseDelegation } from "#lib/rewrite/delegation/check-delegation.ts";
import { acceptLosses, refuseOtherDryRun, refuseUnacceptedLosses } from "#lib/rewrite/guards/accept-losses.ts";
import { refuse } from "#lib/rewrite/guards/refuse.ts";
import { refuseRewriteWhileCleaning } from "#lib/rewrite/managed-fields/cleanings-here.ts";
import { recordAction } from "#lib/rewrite/record/record-action.ts";
import { beginRun } from "#lib/rewrite/run/begin-run.ts";
import { caveatsOfReplaced } from "#lib/rewrite/run/caveats-of-replaced.ts";

/**
 * Starts a rewrite in the background. `reason` is the reason for changing a protected definition. Starting is a compare-and-set on the
 * definition, so one of two concurrent starts is refused.
 * @throws AppError conflict with the run in the way; precondition_failed if nothing can be rewritten, with the losses if a dry run
 * found some that are not accepted, or if the cluster's own engine is requested but not served, or would drop fields.
 */
export async function startRewrite(
  connection: Connection,
  crdName: string,
  options: StartRewrite & { reason?: string | null; settleSeconds: number; signal: AbortSignal },
): Promise<Run> {
  await checkDelegation(connection, options, options.signal);
  const migrations = await readMigrationsOf(connection, crdName, options.signal);
  const startedBy = await whoAmI(connection, options.signal);
  const run = await beginRun(connection, crdName, options, (crd, record, now) => {
    const refusal = rewriteRefusal({ ...crd, ...migrations }, now);
    if (refusal) throw refuse(refusal);
    refuseRewriteWhileCleaning(connection, crd);
    const storage = storageVersion(crd);
    if (!storage) throw new Error("A definition without a storage version is refused above.");
    if (options.throughStatus && !storage.hasStatus) {
      throw new AppError("precondition_failed", `${storage.name} has no /status subresource.`, { nextStep: "Rewrite without /status." });
    }
    const dryRun = validDryRun(crd);
    const accepted = acceptLosses(crd, startedBy, options, options.keepOwnership ?? false);
    if (delegates(options.engine)) refuseDelegation(crd, { acceptedLosses: accepted });
    if (accepted && options.dryRun !== undefined) refuseOtherDryRun(dryRun, options.dryRun);
    const begun = newRun(crdName, startedBy, storage.name);
    const run: Run = {
      ...begun,
      ...(delegates(options.engine) && { engine: options.engine, delegation: newDelegation(crd, begun.id) }),
      verify: options.verify ?? "settle-point",
      maxPerSecond: options.maxPerSecond ?? null,
      pace: options.pace ?? "normal",
      throughStatus: { allowed: options.throughStatus ?? false, objects: 0 },
      ownership: { keep: options.keepOwnership ?? false, kept: 0, lost: 0 },
      acceptedLosses: accepted,
      dryRun: dryRun?.id ?? null,
      caveats: caveatsOfReplaced({ ...crd, ...migrations }, record, now),
      reasons: options.reason ? [{ text: options.reason, by: startedBy, at: begun.startedAt }] : [],
    };
    refuseUnacceptedLosses(crd, dryRun, run);
    return { ...record, runs: [run, ...record.runs].slice(0, REMEMBERED_RUNS) };
  });
  recordAction(connection, crdName, { kind: "started", at: run.startedAt, by: startedBy, run: run.id, message: startSentence(run) });
  return run;
}

function newDelegation({ storedVersions, generation }: Crd, runId: string): Delegation {
  return {
    migration: migrationName(runId, generation),
    phase: null,
    message: "",
    left: null,
    startedAt: null,
    endedAt: null,
    storedVersionsBefore: storedVersions,
    putBack: [],
  };
}

function newRun(crd: string, startedBy: string, version: string): Omit<Run, "verify"> {
  const now = new Date().toISOString();
  return {
    crd,
    startedBy,
    storageVersion: version,
    id: randomUUID(),
    engine: "crdshift",
    phase: "settling",
    startedAt: now,
    renewedAt: now,
    settledAt: null,
    endedAt: null,
    settleResourceVersion: null,
    settlesAt: null,
    retryAt: null,
    counts: { total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null },
    rewrittenAtLeast: false,
    provenObjects: null,
    ratePerSecond: null,
    etaSeconds: null,
    statusReason: null,
    rejections: [],
    maxPerSecond: null,
    pace: "normal",
    command: null,
    rates: { everySeconds: 1, perSecond: [] },
    throughStatus: { allowed: false, objects: 0 },
    ownership: { keep: false, kept: 0, lost: 0 },
    acceptedLosses: null,
    dryRun: null,
    heldBackBecause: null,
    takenOverAt: null,
    delegation: null,
    sent: NOTHING_SENT,
    crdshiftVersion,
    reasons: [],
    interruptions: [],
    caveats: [],
  };
}
