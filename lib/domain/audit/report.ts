import type { Crd } from "#lib/domain/definition/crd.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run-record.ts";
import type { Loss } from "#lib/domain/losses/losses.ts";
import { withPruneDecided } from "#lib/domain/record/last-prune.ts";
import type { Proof, Prune, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import { delegates } from "#lib/domain/rewrite/engines.ts";
import type { Pace } from "#lib/domain/rewrite/pace.ts";
import {
  type AcceptedLosses,
  asOf,
  type Delegation,
  type GivenReason,
  isLive,
  type RejectionGroup,
  type Run,
  type RunCounts,
  type RunPhase,
  untoldCaveats,
} from "#lib/domain/rewrite/run.ts";
import { mayHaveRewrittenMore } from "#lib/domain/rewrite/run-sentences.ts";
import { knownUser } from "./known-user.ts";
import { patchesOf, type SentPatch } from "./patch-templates.ts";
import { type ReportVerdict, verdictOf } from "./report-verdict.ts";

/** How and where the report was made. */
export interface ReportContext {
  madeAt: string;
  /** The crdshift version that made the report. */
  madeWith: string;
  /** `version` is null if the API server did not give it. */
  cluster: { context: string; server: string; version: string | null };
}

/** Everything on record about a run, for an audit on paper or as JSON. Unknown values are null, never 0. */
export interface RewriteReport extends ReportContext {
  /** Increased on incompatible changes. */
  format: 1;
  /** When the annotation behind the report was last written for this run. */
  asOf: string;
  definition: {
    name: string;
    kind: string;
    scope: "Namespaced" | "Cluster";
    uid: string;
    /** The generation the run worked on; null when not recorded. */
    generation: number | null;
    storageVersion: string;
    /** The current list. */
    storedVersions: string[];
  };
  run: {
    id: string;
    engine: Run["engine"];
    crdshiftVersion: string | null;
    phase: RunPhase;
    /** Null if the API server gave no name. */
    startedBy: string | null;
    startedAt: string;
    /** Null before its settle point: until then, a run creates no StorageVersionMigration. */
    settledAt: string | null;
    endedAt: string | null;
    verify: Run["verify"];
    /** The dry run it relied on. */
    dryRun: string | null;
    keepOwnership: boolean;
    throughStatus: boolean;
    maxPerSecond: number | null;
    pace: Pace;
    takenOverAt: string | null;
    /** The StorageVersionMigration it delegated to, whose patches crdshift doesn't see; null if crdshift rewrote the objects. */
    delegation: Delegation | null;
    /** Reasons for starting and last resuming it, if the definition was protected. */
    reasons: GivenReason[];
  };
  verdict: ReportVerdict;
  /** What else to know, such as which objects may have lost fields; none where the verdict tells it. */
  warnings: string[];
  /** `takenAt` and `settleSeconds` are null once the record has a newer settle point. */
  settlePoint: { resourceVersion: string; takenAt: string | null; settleSeconds: number | null } | null;
  outcomes: Omit<RunCounts, "alreadyCurrent"> & {
    /** Null before the first list and for delegated runs. */
    alreadyCurrent: number | null;
    /** Objects that the delegated engine rewrote or found current, verified by crdshift; null for other runs and before the first list. */
    verified: number | null;
    throughStatus: number;
    ownershipKept: number;
    ownershipLost: number;
    /** More may be rewritten: the last outcomes are unknown, or were never recorded. */
    rewrittenAtLeast: boolean;
    /** The counts date from `asOf` or earlier; the run is live or stopped responding, and may have done more. */
    mayBeMore: boolean;
  };
  rejections: RejectionGroup[];
  acceptedLosses: AcceptedLosses | null;
  /** That dry run's findings; null when no longer on record, as after a proof. */
  dryRun: DryRunRecord | null;
  /** What that dry run, or the accepted one, found. With values as long as the crdshift that tried it runs; null when no longer known. */
  losses: Loss[] | null;
  patches: SentPatch[];
  prune: ReportPrune;
}

export type ReportPrune =
  /** Pruned on this run's proof. */
  | { state: "pruned"; prune: Prune }
  /** Nothing was pruned on this run's proof. */
  | { state: "none" }
  /** A later prune replaced the record of any prune on this run's proof. */
  | { state: "unknown" };

/**
 * The report of a run from the record at `now` (ms). `recorded` is the run exactly as recorded. `dryRuns` are those of this process, which
 * have the values that the record leaves out.
 */
export function reportOf(
  crd: Crd,
  record: RewriteRecord,
  recorded: Run,
  context: ReportContext,
  now: number,
  dryRuns: readonly DryRun[] = [],
): RewriteReport {
  const run = asOf(recorded, now);
  const relied = run.acceptedLosses?.dryRun ?? run.dryRun;
  // The numbers of a claim may be anyone's.
  const proof = record.proof?.runId === run.id && !crd.claims.proof ? record.proof : null;
  const isOwnPoint = record.settlePoint?.resourceVersion === run.settleResourceVersion && !crd.claims.settlePoint;
  const settled = isOwnPoint ? record.settlePoint : null;
  const dryRun = crd.claims.dryRun ? null : record.dryRun;
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
        settledAt: run.settledAt,
        endedAt: run.endedAt,
        verify: run.verify,
        keepOwnership: run.ownership.keep,
      },
      ...{
        throughStatus: run.throughStatus.allowed,
        maxPerSecond: run.maxPerSecond,
        pace: run.pace,
        takenOverAt: run.takenOverAt,
        dryRun: run.dryRun,
      },
      delegation: run.delegation,
      reasons: run.reasons,
    },
    verdict: verdictOf(crd, record, run),
    warnings: warningsOf(run),
    settlePoint: settlePointOf(run, proof, settled),
    outcomes: {
      ...countsOf(run),
      ...{ throughStatus: run.throughStatus.objects, ownershipKept: run.ownership.kept, ownershipLost: run.ownership.lost },
      rewrittenAtLeast: mayHaveRewrittenMore(run) || isLive(recorded),
      mayBeMore: isLive(recorded) || (run.phase === "cancelled" && run.sent?.atLeast === true),
    },
    rejections: run.rejections,
    acceptedLosses: run.acceptedLosses,
    dryRun: dryRun?.id === run.dryRun ? dryRun : null,
    losses: [...dryRuns, ...(dryRun ? [dryRun] : [])].find(({ id }) => id === relied)?.losses ?? null,
    // The record lacks patches sent since the last renewal.
    patches: patchesOf(crd, { ...run, sent: run.sent && { ...run.sent, atLeast: run.sent.atLeast || isLive(recorded) } }),
    prune: pruneOf(withPruneDecided(record, crd), run),
  };
}

/** A verdict gives the reason of each other end, which has them. */
function warningsOf(run: Run): string[] {
  if (run.phase === "succeeded") return [run.statusReason, ...untoldCaveats(run)].filter((words) => words !== null);
  return isLive(run) ? run.caveats : [];
}

function countsOf({ counts, engine }: Run): Pick<RewriteReport["outcomes"], keyof RunCounts | "verified"> {
  // Unknown before the first list.
  const current = counts.total === null && counts.alreadyCurrent === 0 ? null : counts.alreadyCurrent;
  const delegated = delegates(engine);
  return { ...counts, alreadyCurrent: delegated ? null : current, verified: delegated ? current : null };
}

/** Only the newest prune is known. */
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
