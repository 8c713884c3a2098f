import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run.ts";
import {
  type AcceptedLosses,
  asOf,
  type Delegation,
  isLive,
  type Proof,
  type Prune,
  type RejectionGroup,
  type RewriteRecord,
  type Run,
  type RunCounts,
  type RunPhase,
} from "#lib/domain/rewrite/run.ts";
import { type PatchTemplate, patchesOf } from "#lib/domain/rewrite/sent-patches.ts";
import type { GivenReason } from "./given-reason.ts";
import { knownUser } from "./known-user.ts";
import { type ReportVerdict, verdictOf } from "./report-verdict.ts";

/** Who made the report, and from where. */
export interface ReportContext {
  madeAt: string;
  /** The version of crdshift that makes it. */
  madeWith: string;
  /** `version` is null where the API server did not say. */
  cluster: { context: string; server: string; version: string | null };
}

/** All that is on record of a run: for an audit, on paper or as JSON. What is not known is null, never 0. */
export interface RewriteReport extends ReportContext {
  /** Raised when readers of an older one would misunderstand it. */
  format: 1;
  /** When the annotation, on which all of it rests, was last written for this run. */
  asOf: string;
  definition: {
    name: string;
    kind: string;
    scope: "Namespaced" | "Cluster";
    uid: string;
    /** The generation that the run was of; null where the record does not tell. */
    generation: number | null;
    storageVersion: string;
    /** As it is now. */
    storedVersions: string[];
  };
  run: {
    id: string;
    engine: Run["engine"];
    crdshiftVersion: string | null;
    phase: RunPhase;
    /** Null where the API server did not say. */
    startedBy: string | null;
    startedAt: string;
    endedAt: string | null;
    verify: Run["verify"];
    /** The dry run that it relied on. */
    dryRun: string | null;
    keepOwnership: boolean;
    throughStatus: boolean;
    maxPerSecond: number | null;
    takenOverAt: string | null;
    /** The StorageVersionMigration that rewrote for it, whose own patches crdshift does not see; null where crdshift did so itself. */
    delegation: Delegation | null;
    /** Why it was started, and why it was resumed last, where the definition was protected. */
    reasons: GivenReason[];
  };
  verdict: ReportVerdict;
  /** Its wait and its time are null once the record has a newer one. */
  settlePoint: { resourceVersion: string; takenAt: string | null; settleSeconds: number | null } | null;
  outcomes: Omit<RunCounts, "alreadyCurrent"> & {
    /** Null where no list has told what there is, and where the cluster's own engine was asked to rewrite. */
    alreadyCurrent: number | null;
    /** What that engine has rewritten or found current, verified by crdshift; null of other runs, and where no list has told. */
    verified: number | null;
    throughStatus: number;
    ownershipKept: number;
    ownershipLost: number;
    /** They are what the run said last, no later than `asOf`: it is at work, or fell silent, and may have done more. */
    mayBeMore: boolean;
  };
  rejections: RejectionGroup[];
  acceptedLosses: AcceptedLosses | null;
  /** What that dry run found; null when it is not on record any more, as after a proof. */
  dryRun: DryRunRecord | null;
  patches: (PatchTemplate & { count: number | null; atLeast: boolean })[];
  prune: ReportPrune;
}

export type ReportPrune =
  /** On this run's proof. */
  | { state: "pruned"; prune: Prune }
  /** Nothing was, on this run's proof. */
  | { state: "none" }
  /** A later prune has taken the place of what may have been pruned on this run's proof. */
  | { state: "unknown" };

/** The report of a run that the record holds, given as it is recorded, at `now` (ms). */
export function reportOf(crd: Crd, record: RewriteRecord, recorded: Run, context: ReportContext, now: number): RewriteReport {
  const run = asOf(recorded, now);
  const proof = record.proof?.runId === run.id ? record.proof : null;
  const settled = record.settlePoint?.resourceVersion === run.settleResourceVersion ? record.settlePoint : null;
  const { uid, generation } = proof ?? settled ?? run.acceptedLosses?.of ?? { uid: crd.uid, generation: null };
  return {
    ...context,
    format: 1,
    asOf: run.renewedAt,
    definition: {
      ...{ name: crd.name, kind: crd.kind, scope: crd.scope, uid, generation },
      ...{ storageVersion: run.storageVersion, storedVersions: crd.storedVersions },
    },
    run: {
      ...{ id: run.id, engine: run.engine, crdshiftVersion: run.crdshiftVersion, phase: run.phase },
      ...{
        startedBy: knownUser(run.startedBy),
        startedAt: run.startedAt,
        endedAt: run.endedAt,
        verify: run.verify,
        keepOwnership: run.ownership.keep,
      },
      ...{
        throughStatus: run.throughStatus.allowed,
        maxPerSecond: run.maxPerSecond,
        takenOverAt: run.takenOverAt,
        dryRun: run.dryRun,
      },
      delegation: run.delegation,
      reasons: run.reasons,
    },
    verdict: verdictOf(crd, record, run),
    settlePoint: settlePointOf(run, proof, settled),
    outcomes: {
      ...countsOf(run),
      ...{ throughStatus: run.throughStatus.objects, ownershipKept: run.ownership.kept, ownershipLost: run.ownership.lost },
      mayBeMore: isLive(recorded) || (run.phase === "cancelled" && run.sent?.atLeast === true),
    },
    rejections: run.rejections,
    acceptedLosses: run.acceptedLosses,
    dryRun: record.dryRun && record.dryRun.id === run.dryRun ? record.dryRun : null,
    // What a run sent since its last renewal is not in its record.
    patches: patchesOf(crd, { ...run, sent: run.sent && { ...run.sent, atLeast: run.sent.atLeast || isLive(recorded) } }),
    prune: pruneOf(record, run),
  };
}

function countsOf({ counts, engine }: Run): Pick<RewriteReport["outcomes"], keyof RunCounts | "verified"> {
  // Before the first list nobody knows what is current.
  const current = counts.total === null && counts.alreadyCurrent === 0 ? null : counts.alreadyCurrent;
  const isDelegated = engine === "in-tree";
  return { ...counts, alreadyCurrent: isDelegated ? null : current, verified: isDelegated ? current : null };
}

/** The record holds the newest prune alone. */
function pruneOf({ prune, proof }: RewriteRecord, run: Run): ReportPrune {
  if (!prune) return { state: "none" };
  const onItsProof = prune.runId === null && proof?.runId === run.id && Date.parse(prune.prunedAt) >= Date.parse(proof.provenAt);
  if (prune.runId === run.id || onItsProof) return { state: "pruned", prune };
  const isProofCurrent = proof?.runId === run.id;
  if (run.phase !== "succeeded" || isProofCurrent || Date.parse(prune.prunedAt) < Date.parse(run.endedAt ?? run.renewedAt)) {
    return { state: "none" };
  }
  return { state: "unknown" };
}

function settlePointOf(run: Run, proof: Proof | null, settled: RewriteRecord["settlePoint"]): RewriteReport["settlePoint"] {
  const resourceVersion = proof?.settleResourceVersion ?? run.settleResourceVersion;
  if (resourceVersion === null) return null;
  const settleSeconds = proof?.settleSeconds ?? settled?.settleSeconds ?? null;
  return { resourceVersion, takenAt: settled?.takenAt ?? null, settleSeconds };
}
