import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { RejectionGroup, Run } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { holdsBack, type Loss, type LossExample, lossVerbs } from "./losses.ts";

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
  /** A webhook with side effects doesn't support dry runs, or crdshift can't read the answer: neither passed nor failed. */
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
  /** Why it failed, is waiting, or was cancelled. */
  message: string | null;
}

/** The part of a dry run kept in the annotation: enough to hold a rewrite back and say why. */
export interface DryRunRecord extends CrdIdentity {
  id: string;
  startedBy: string;
  /** RFC 3339; null when an older crdshift recorded it. */
  startedAt: string | null;
  endedAt: string;
  /** What is above it wasn't tried as it is now; null when an older crdshift recorded it. */
  resourceVersion: string | null;
  /** What may change objects in admission, as mutatingAdmission tells it. Null if it couldn't be read, or an older crdshift recorded it. */
  admission: string | null;
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
  /** Says which installation recorded it; null when an older crdshift did, or someone else. */
  signature: string | null;
}

/**
 * Whether the dry run covered every object that a rewrite may write. If not, the rewrite checks each object before writing it, because
 * an object rejected earlier may now pass.
 */
export function sawEverything({ total, checked, alreadyCurrent, wouldBeRejected, cannotDryRun }: DryRunRecord): boolean {
  return checked + alreadyCurrent >= total && wouldBeRejected === 0 && cannotDryRun === 0;
}

/** Whoever accepts losses accepts the listed ones; more than these would crowd out the record's other parts. */
const RECORDED_LOSSES = 40;
const WITH_EXAMPLES = 12;
const RECORDED_EXAMPLES = 2;
const MAX_BECAUSE = 600;

/** `admission` is what mutatingAdmission told before the first object was tried. */
export function dryRunRecord(dryRun: DryRun, admission: string | null): DryRunRecord {
  const { id, startedBy, uid, generation, storageVersion, dryRun: outcome, lossesKnown, losses, moreLosses } = dryRun;
  return {
    ...{ id, startedBy, uid, generation, storageVersion, lossesKnown, resourceVersion: dryRun.resourceVersion, admission },
    startedAt: dryRun.startedAt,
    endedAt: dryRun.endedAt ?? dryRun.startedAt,
    total: outcome.total ?? 0,
    checked: outcome.checked,
    alreadyCurrent: outcome.alreadyCurrent,
    wouldBeRejected: outcome.wouldBeRejected,
    cannotDryRun: outcome.cannotDryRun,
    lossesUnknownBecause: dryRun.lossesUnknownBecause?.slice(0, MAX_BECAUSE) ?? null,
    signature: null,
    losses: mostLosses(losses, RECORDED_LOSSES).map((loss, index) => ({
      ...loss,
      examples: index < WITH_EXAMPLES ? recordedExamples(loss) : [],
    })),
    moreLosses: moreLosses + Math.max(0, losses.length - RECORDED_LOSSES),
  };
}

// Without values: who may read the definition may not be allowed to read its objects.
function recordedExamples({ examples }: Loss): LossExample[] {
  return examples.slice(0, RECORDED_EXAMPLES).map((example) => ({ ...example, version: null, before: null, after: null }));
}

/** At most this many losses, worst first, with one of every kind. */
export function mostLosses<Listed extends Pick<Loss, "kind">>(losses: readonly Listed[], most: number): Listed[] {
  const kept = [...losses];
  while (kept.length > most) {
    const spare = kept.findLastIndex(({ kind }, index) => kept.findIndex((other) => other.kind === kind) < index);
    kept.splice(spare === -1 ? kept.length - 1 : spare, 1);
  }
  return kept;
}

/** The losses that hold a rewrite back, without managedFields if the rewrite keeps ownership. */
export function unacceptedLosses(dryRun: Pick<DryRunRecord, "losses">, options: { keepOwnership: boolean }): Loss[] {
  return dryRun.losses.filter(({ kind }) => holdsBack(kind) && !(kind === "managed-fields" && options.keepOwnership));
}

/** The losses as a sentence, starting with the most frequent. */
export function describeLosses(losses: readonly Loss[]): string {
  const [first, ...rest] = [...losses].sort((one, other) => other.objects - one.objects);
  if (!first) return "nothing would be lost";
  const others = rest.length > 0 ? `, and ${formatCountOf(rest.length, "other path")} would be affected` : "";
  return `${first.path} ${lossVerbs[first.kind]} in ${formatCountOf(first.objects, "object")}${others}`;
}

type KnownDryRun = Pick<DryRun, "id" | "phase" | "startedAt">;

/** The dry run to show for a definition, beside one that is running. */
export interface DryRunStanding<Known extends KnownDryRun> {
  running: Known | null;
  latest:
    | { kind: "recorded" | "none" }
    /** It has ended, but only this crdshift knows it: it was cancelled, it failed, or the definition couldn't be written. */
    | { kind: "unrecorded"; dryRun: Known }
    /** The definition forgot it, because a rewrite has proven more since. */
    | { kind: "superseded"; id: string };
}

/** Which dry runs of a definition there are: those that this crdshift knows, newest first, and the one that the definition records. */
export function dryRunStanding<Known extends KnownDryRun>(
  known: readonly Known[],
  { dryRun, run }: { dryRun: { id: string } | null; run: Run | null },
): DryRunStanding<Known> {
  // The record comes with an event, before the list is read again: what it contains has ended.
  const running = known.find(({ id, phase }) => phase === "running" && id !== dryRun?.id) ?? null;
  if (dryRun) return { running, latest: { kind: "recorded" } };
  const ended = known.find(({ phase }) => phase !== "running") ?? null;
  const before = run?.phase === "succeeded" ? run.dryRun : null;
  const isLater = ended !== null && (before === null || Date.parse(ended.startedAt) > Date.parse(run?.endedAt ?? ""));
  if (isLater) return { running, latest: { kind: "unrecorded", dryRun: ended } };
  return { running, latest: before === null ? { kind: "none" } : { kind: "superseded", id: before } };
}
