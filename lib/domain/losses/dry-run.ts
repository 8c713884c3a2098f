import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { RejectionGroup } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { holdsBack, type Loss } from "./losses.ts";

export const dryRunPhases = ["running", "succeeded", "failed", "cancelled"] as const;
export type DryRunPhase = (typeof dryRunPhases)[number];

/** The parts of a dry run that look at the cluster rather than at objects. */
export const checkNames = ["permissions", "conditions", "engine", "conversion", "webhooks", "policies", "watch-events"] as const;
export type CheckName = (typeof checkNames)[number];

export interface DryRunCheck {
  name: CheckName;
  status: "pass" | "warn" | "fail";
  message: string;
}

/** Results of a rewrite's patches sent with dryRun=All. */
export interface DryRunOutcome {
  /** Objects in the list; null until known. */
  total: number | null;
  /** Objects chosen for the dry run: all, or a random sample. */
  planned: number | null;
  /** Objects above the settle point, which a rewrite skips. */
  alreadyCurrent: number;
  /** Objects tried; the next four fields add up to it. */
  checked: number;
  wouldPass: number;
  wouldBeRejected: number;
  gone: number;
  /** A webhook with side effects doesn't support dry runs: neither passed nor failed. */
  cannotDryRun: number;
  rejections: RejectionGroup[];
  /** Why objects can't be dry-run, grouped by reason. */
  cannot: RejectionGroup[];
  /** Objects whose generation would increase, so their controllers reconcile them. */
  generationRises: number;
}

/** What a rewrite would do, determined without storing anything. */
export interface DryRun extends CrdIdentity {
  id: string;
  crd: string;
  phase: DryRunPhase;
  startedBy: string;
  startedAt: string;
  endedAt: string | null;
  /** Maximum objects to try; larger sets are sampled at random. */
  sampleSize: number;
  checks: DryRunCheck[];
  dryRun: DryRunOutcome;
  losses: Loss[];
  /** Paths beyond those listed. */
  moreLosses: number;
  /** Whether `losses` is complete for the objects tried. */
  lossesKnown: boolean;
  /** Why not, and what to do; null when complete. */
  lossesUnknownBecause: string | null;
  /** Why it failed, is waiting, or was cancelled. */
  message: string | null;
}

/** The part of a dry run kept in the annotation: enough to hold a rewrite back and say why. */
export interface DryRunRecord extends CrdIdentity {
  id: string;
  startedBy: string;
  endedAt: string;
  total: number;
  checked: number;
  alreadyCurrent: number;
  wouldBeRejected: number;
  cannotDryRun: number;
  lossesKnown: boolean;
  /** Why not, and what to do. */
  lossesUnknownBecause: string | null;
  losses: Loss[];
  moreLosses: number;
}

/**
 * Whether the dry run covered every object that a rewrite may write. If not, the rewrite checks each object before writing it, because
 * an object rejected earlier may now pass.
 */
export function sawEverything({ total, checked, alreadyCurrent, wouldBeRejected, cannotDryRun }: DryRunRecord): boolean {
  return checked + alreadyCurrent >= total && wouldBeRejected === 0 && cannotDryRun === 0;
}

const RECORDED_LOSSES = 12;
const RECORDED_EXAMPLES = 2;
const MAX_BECAUSE = 600;

export function dryRunRecord(dryRun: DryRun): DryRunRecord {
  const { id, startedBy, uid, generation, storageVersion, dryRun: outcome, lossesKnown, losses, moreLosses } = dryRun;
  return {
    ...{ id, startedBy, uid, generation, storageVersion, lossesKnown },
    endedAt: dryRun.endedAt ?? dryRun.startedAt,
    total: outcome.total ?? 0,
    checked: outcome.checked,
    alreadyCurrent: outcome.alreadyCurrent,
    wouldBeRejected: outcome.wouldBeRejected,
    cannotDryRun: outcome.cannotDryRun,
    lossesUnknownBecause: dryRun.lossesUnknownBecause?.slice(0, MAX_BECAUSE) ?? null,
    losses: losses.slice(0, RECORDED_LOSSES).map((loss) => ({ ...loss, examples: loss.examples.slice(0, RECORDED_EXAMPLES) })),
    moreLosses: moreLosses + Math.max(0, losses.length - RECORDED_LOSSES),
  };
}

/** The losses that hold a rewrite back, without managedFields if the rewrite keeps ownership. */
export function unacceptedLosses(dryRun: Pick<DryRunRecord, "losses">, options: { keepOwnership: boolean }): Loss[] {
  return dryRun.losses.filter(({ kind }) => holdsBack(kind) && !(kind === "managed-fields" && options.keepOwnership));
}

/** The losses as a sentence, starting with the most frequent. */
export function describeLosses(losses: readonly Loss[]): string {
  const [first, ...rest] = [...losses].sort((one, other) => other.objects - one.objects);
  if (!first) return "nothing would be lost";
  const verbs = { dropped: "would be dropped", changed: "would change", "managed-fields": "would be lost", defaulted: "would be added" };
  return `${first.path} ${verbs[first.kind]} in ${formatCountOf(first.objects, "object")}${rest.length > 0 ? `, and ${rest.length} more ${rest.length === 1 ? "path" : "paths"}` : ""}`;
}
