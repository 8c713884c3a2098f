import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { RejectionGroup } from "#lib/domain/rewrite/run.ts";
import type { Loss } from "./losses.ts";

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
  /** Objects tried or only read; the next five fields add up to it. */
  checked: number;
  /** Objects that a read shows to lose nothing, so that no write was tried: whether the API server would accept it is unknown. */
  onlyRead: number;
  wouldPass: number;
  wouldBeRejected: number;
  gone: number;
  /** A webhook with side effects doesn't support dry runs, or crdshift can't read the answer: neither passed nor failed. */
  cannotDryRun: number;
  rejections: RejectionGroup[];
  /** Why objects can't be dry-run, grouped by reason. */
  cannot: RejectionGroup[];
  /** Objects whose generation would increase, so their controllers reconcile them. */
  generationRises: number;
}

/** Of a dry run that has looked at no object yet. */
export const NOTHING_CHECKED: DryRunOutcome = {
  ...{ total: null, planned: null, alreadyCurrent: 0, checked: 0, onlyRead: 0, wouldPass: 0, wouldBeRejected: 0, gone: 0 },
  ...{ cannotDryRun: 0, rejections: [], cannot: [], generationRises: 0 },
};

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
  /** What is above it wasn't tried as it is now: the settle point above which objects were skipped, else the list's. Null until listed. */
  resourceVersion: string | null;
  checks: DryRunCheck[];
  dryRun: DryRunOutcome;
  losses: Loss[];
  /** Paths beyond those listed. */
  moreLosses: number;
  /** Whether `losses` is complete for the objects tried. */
  lossesKnown: boolean;
  /** Why not, and what to do; null when complete. */
  lossesUnknownBecause: string | null;
  /** Whether that may have passed since, as an outage or another writer does: then a new dry run may tell. */
  unknownMayPass: boolean;
  /** Why it failed, is waiting, or was cancelled. */
  message: string | null;
}

/** A dry run among others, without what may be a megabyte of each: its findings. */
export type ListedDryRun = Omit<DryRun, "checks" | "dryRun" | "losses"> & { dryRun: Omit<DryRunOutcome, "rejections" | "cannot"> };

export function listedDryRun({ checks: _checks, losses: _losses, dryRun, ...listed }: DryRun): ListedDryRun {
  const { rejections: _rejections, cannot: _cannot, ...outcome } = dryRun;
  return { ...listed, dryRun: outcome };
}
