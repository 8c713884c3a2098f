import type { CrdIdentity, RejectionGroup } from "#lib/domain/rewrite/run.ts";
import { counted } from "#lib/domain/wording/counted.ts";
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

/** What the very patches of a rewrite came to when nothing was stored. */
export interface DryRunOutcome {
  /** Objects of the list; null until it says. */
  total: number | null;
  /** Objects that are chosen to be tried: all of them, or a random sample. */
  planned: number | null;
  /** Objects above the settle point, which a rewrite sends nothing for. */
  alreadyCurrent: number;
  /** Objects that were tried; each is one of the next four. */
  checked: number;
  wouldPass: number;
  wouldBeRejected: number;
  gone: number;
  /** A webhook has side effects and takes no dry run: neither passed nor failed. */
  cannotDryRun: number;
  rejections: RejectionGroup[];
  /** Why objects can't be dry-run, grouped alike. */
  cannot: RejectionGroup[];
  /** Objects whose generation would rise, which makes their controllers reconcile them. */
  generationRises: number;
}

/** A dry run: what a rewrite would do, found out without storing anything. */
export interface DryRun extends CrdIdentity {
  id: string;
  crd: string;
  phase: DryRunPhase;
  startedBy: string;
  startedAt: string;
  endedAt: string | null;
  /** The most objects that are tried; a larger number of objects is sampled at random. */
  sampleSize: number;
  checks: DryRunCheck[];
  dryRun: DryRunOutcome;
  losses: Loss[];
  /** Paths beyond those listed. */
  moreLosses: number;
  /** Whether `losses` is all that is lost in the objects that were tried. */
  lossesKnown: boolean;
  /** Why not, with what to do; null when they are. */
  lossesUnknownBecause: string | null;
  /** Why it failed, waits, or was cancelled. */
  message: string | null;
}

/** What the definition's annotation remembers of a dry run: enough to hold a rewrite back, and to say why. */
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
  /** Why not, with what to do. */
  lossesUnknownBecause: string | null;
  losses: Loss[];
  moreLosses: number;
}

/**
 * Whether the dry run tried, and saw through, every object that a rewrite may write. Otherwise the rewrite has to look at each object
 * before it writes it: what was rejected then may pass now.
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

/** The losses that hold a rewrite back; those of managedFields do not when it carries them over. */
export function unacceptedLosses(dryRun: Pick<DryRunRecord, "losses">, options: { keepOwnership: boolean }): Loss[] {
  return dryRun.losses.filter(({ kind }) => holdsBack(kind) && !(kind === "managed-fields" && options.keepOwnership));
}

/** The losses in a sentence, the widest first. */
export function describeLosses(losses: readonly Loss[]): string {
  const [first, ...rest] = [...losses].sort((one, other) => other.objects - one.objects);
  if (!first) return "nothing would be lost";
  const verbs = { dropped: "would be dropped", changed: "would change", "managed-fields": "would be lost", defaulted: "would be added" };
  return `${first.path} ${verbs[first.kind]} in ${counted(first.objects, "object")}${rest.length > 0 ? `, and ${rest.length} more ${rest.length === 1 ? "path" : "paths"}` : ""}`;
}
