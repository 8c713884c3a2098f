import { MOST_VERIFIED } from "#lib/domain/audit/proof-standing.ts";
import { conversionFailureIn, lostVersionIn } from "#lib/domain/conversion/conversion-failure.ts";
import { doubtRefusal } from "#lib/domain/record/doubt.ts";
import { latestRun, type Proof, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { unreadableRecord } from "#lib/domain/record/unreadable-record.ts";
import { recordedProof, validProof } from "#lib/domain/record/valid-evidence.ts";
import { conditionAtWork, migrationAtWork, prunedUnproven } from "#lib/domain/rewrite/other-engines.ts";
import { rejectedWords } from "#lib/domain/rewrite/rejected-words.ts";
import { isLive, type Run } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { type BrokenApplies, brokenApplies, isGoneVersion } from "./broken-applies.ts";
import { contradictionOf, contradictionReason, contradictionRepair, missingStoredVersions } from "./contradiction.ts";
import { type Crd, storageVersion } from "./crd.ts";
import {
  brokenReason,
  conversionReason,
  currentReason,
  lostReason,
  namesOf,
  needsRewriteReason,
  prunedUnprovenReason,
  runningReason,
  shrankReason,
} from "./state-reasons.ts";
import { leftoverVersions, storedVersionsProblem, unknownStoredVersion, whyNothingServed } from "./stored-versions.ts";

/** Worst first: the order of the fleet. */
export const crdStates = ["blocked", "rewriting", "needs-rewrite", "prunable", "current", "unknown"] as const;
export type CrdStateName = (typeof crdStates)[number];

/** The labels of states. */
export const stateWords: Record<CrdStateName, string> = {
  blocked: "blocked",
  rewriting: "rewriting",
  "needs-rewrite": "needs rewrite",
  prunable: "prunable",
  current: "current",
  unknown: "unknown",
};

export interface CrdState {
  state: CrdStateName;
  /** Shown to people. */
  reason: string;
  /** What blocks it, if that is broken server-side apply. */
  brokenApplies?: BrokenApplies;
}

/** Findings about the objects that affect the state. */
export interface ObjectsEvidence {
  total: number | null;
  /** The server's message when listing objects failed on conversion. */
  conversionFailure: string | null;
}

/** The state of a CRD at `now` (ms), with the reason. */
export function crdState(crd: Crd, objects: ObjectsEvidence, now: number): CrdState {
  const storage = storageVersion(crd);
  const run = latestRun(crd, now);
  if (crd.deletionTimestamp) return unknown("It is being deleted; its versions no longer matter.");
  if (crd.storedVersions.length === 0 && crd.conditions.length === 0) return unknown("The API server has not written its status yet.");
  if (!storage) return blocked("No version has storage: true.");
  switch (whyNothingServed(crd)) {
    case "not established":
      return unknown("It is not established yet, so nothing is served. See its conditions.");
    case "names not accepted":
      return blocked(`Its names are not accepted, so nothing is served: ${messageOf(crd, "NamesAccepted")}. See its conditions.`);
  }
  const problem = storedVersionsProblem(crd, crd.storedVersions);
  const leftovers = leftoverVersions(crd);
  const proof = validProof(crd);
  const recorded = proof ?? verifiableClaim(crd, objects);
  // With a proof, a prune fixes an invalid list, unless the API server refuses every change to the definition.
  const repairable = recorded && leftovers.length > 0 && unknownStoredVersion(crd, crd.storedVersions) === null;
  if (problem && !repairable) return blocked(`${problem}, so it can't be trusted.`);
  if (run && isLive(run)) {
    const waitsFor = conversionFailureIn(run.statusReason);
    if (waitsFor !== null) return blocked(conversionReason(waitsFor, run));
    // One object is enough for a count to fail, and the run goes on with the others.
    return { state: "rewriting", reason: runningReason(run, objects.conversionFailure) };
  }
  const migrating = migrationReason(crd, now);
  if (migrating) return { state: "rewriting", reason: migrating };
  const contradiction = contradictionOf(crd);
  if (contradiction) return blocked(`${contradictionReason(contradiction)}. ${contradictionRepair(crd, contradiction)}`);
  if (prunedUnproven(crd, now).length > 0) return blocked(prunedUnprovenReason(missingStoredVersions(crd, now)));
  const lost = lostVersionIn(objects.conversionFailure);
  if (lost !== null && isGoneVersion(crd, lost)) return blocked(lostReason(lost));
  if (crd.shrankWithoutProof.length > 0 && !proof) return blocked(shrankReason(crd.shrankWithoutProof));
  // It may hold a doubt.
  const unreadable = unreadableRecord(crd);
  if (unreadable) return blocked(`${unreadable.message} ${unreadable.nextStep}`);
  const broken = brokenApplies(crd);
  if (leftovers.length === 0) {
    const doubt = doubtRefusal(crd, `at a version other than ${storage.name} although status.storedVersions lists no other`, now);
    if (doubt) return blocked(`${doubt.message} ${doubt.nextStep}`);
    return broken ? blockedApplies(broken) : { state: "current", reason: currentReason(proof, storage.name) };
  }
  const names = namesOf(leftovers);
  if (!storage.served)
    return blocked(
      `Objects may still be stored as ${names}, but the storage version ${storage.name} is not served, so they can't be rewritten.`,
    );
  if (objects.conversionFailure) return blocked(`Objects can't be converted: ${objects.conversionFailure}`);
  if (recorded && broken) return blockedApplies(broken);
  if (recorded)
    return {
      state: "prunable",
      reason: proof
        ? `${formatCountOf(proof.objects, "object")} proven to be stored as ${storage.name}; ${names} can be pruned.`
        : `A proof that this crdshift didn't make covers ${formatCountOf(recorded.objects, "object")}. Pruning ${names} verifies it first.`,
    };
  if (run && run.phase === "unproven" && isOfThisSpec(crd, run)) {
    if (run.heldBackBecause !== null) return blocked(`The last rewrite was held back. ${run.heldBackBecause}`);
    return blocked(`${rejectedWords(run.counts)}: ${run.rejections[0]?.message ?? "see the rewrite"}`);
  }
  const reason = needsRewriteReason(crd, objects.total, names, run?.phase ?? null);
  // The rewrite that is needed anyway can carry these entries over.
  return { state: "needs-rewrite", reason: broken ? `${reason} ${brokenReason(broken)}` : reason };
}

/** A sentence that names the other engine running on the definition at `now` (ms); null when there is none. */
export function migrationReason(crd: Crd, now: number, ownRunId: string | null = null): string | null {
  const migration = migrationAtWork(crd, now, ownRunId);
  if (migration?.engine === "openshift") return `OpenShift's StorageVersionMigration ${migration.name} is running.`;
  const name = migration?.name ?? conditionAtWork(crd, ownRunId);
  if (name === null) return null;
  const storage = storageVersion(crd)?.name;
  const isShortened = crd.versions.length > 1 && crd.storedVersions.length === 1 && crd.storedVersions[0] === storage;
  const already = isShortened && !validProof(crd) ? ` status.storedVersions already lists only ${storage}, which proves nothing yet.` : "";
  return `The cluster's own StorageVersionMigration${name && ` ${name}`} is running.${already}`;
}

// The newest run's verdict applies to the spec it ran on; a later spec change may have fixed the cause. Each run notes its generation when
// it starts. Times tell less: a manager that owns part of the spec moves specChangedAt with each of its writes.
function isOfThisSpec(crd: Crd, { startedAt }: Run): boolean {
  const noted = readableRecord(crd)?.generationSeen;
  if (noted) return noted.generation === crd.generation;
  return crd.specChangedAt === null || Date.parse(crd.specChangedAt) <= Date.parse(startedAt);
}

/** The proof that a prune verifies first; null if there is none, or if it covers too many objects for that. */
function verifiableClaim(crd: Crd, { total }: ObjectsEvidence): Proof | null {
  const claim = recordedProof(crd);
  return claim && (total ?? claim.objects) <= MOST_VERIFIED ? claim : null;
}

function messageOf(crd: Crd, type: string): string {
  return crd.conditions.find((condition) => condition.type === type)?.message ?? "";
}

function blocked(reason: string): CrdState {
  return { state: "blocked", reason };
}

function blockedApplies(brokenApplies: BrokenApplies): CrdState {
  return { ...blocked(brokenReason(brokenApplies)), brokenApplies };
}

function unknown(reason: string): CrdState {
  return { state: "unknown", reason };
}
