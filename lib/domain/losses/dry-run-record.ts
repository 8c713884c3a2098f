import type { CrdIdentity } from "#lib/domain/rewrite/identity.ts";
import type { DryRun } from "./dry-run.ts";
import type { Loss, LossExample } from "./losses.ts";
import { sampleOf } from "./sample-of.ts";

/** The part of a dry run kept in the annotation: enough to hold a rewrite back and say why. */
export interface DryRunRecord extends CrdIdentity {
  id: string;
  startedBy: string;
  /** RFC 3339; null when an older crdshift recorded it. */
  startedAt: string | null;
  endedAt: string;
  /** What is above it wasn't tried as it is now; null when an older crdshift recorded it. */
  resourceVersion: string | null;
  /**
   * Whether the wait after the last spec change was over when it began. If not, an API server that didn't know the spec yet may have
   * answered. False when an older crdshift recorded it.
   */
  settled: boolean;
  /** What may change objects in admission, as mutatingAdmission tells it. Null if it couldn't be read, or an older crdshift recorded it. */
  admission: string | null;
  /** Without the objects that were deleted before it reached them, and so is `checked`. */
  total: number;
  checked: number;
  /** Those of them that were only read, so that nothing is known of rejections. */
  onlyRead: number;
  alreadyCurrent: number;
  wouldBeRejected: number;
  cannotDryRun: number;
  /** Objects whose generation a rewrite would raise. */
  generationRises: number;
  lossesKnown: boolean;
  /** Why not, and what to do. */
  lossesUnknownBecause: string | null;
  /** Whether that may have passed since; false when an older crdshift recorded it. */
  unknownMayPass: boolean;
  losses: Loss[];
  moreLosses: number;
  /** Says which installation recorded it; null when an older crdshift did, or someone else. */
  signature: string | null;
}

/**
 * Whether the dry run covered every object that a rewrite may write. If not, the rewrite checks each object before writing it, because
 * an object rejected earlier may now pass.
 */
export function sawEverything(dryRun: DryRunRecord): boolean {
  return sampleOf(dryRun) === null && dryRun.wouldBeRejected === 0 && dryRun.cannotDryRun === 0;
}

/** Whoever accepts losses accepts the listed ones; more than these would crowd out the record's other parts. */
const RECORDED_LOSSES = 40;
/** As JSON without examples: a run and its proof both list what was accepted, in an annotation of 16 KiB. */
const RECORDED_BYTES = 5 * 1024;
const WITH_EXAMPLES = 12;
const RECORDED_EXAMPLES = 2;
const MAX_BECAUSE = 600;

/** `admission` is what mutatingAdmission told before the first object was tried. */
export function dryRunRecord(dryRun: DryRun, { admission, settled }: Pick<DryRunRecord, "admission" | "settled">): DryRunRecord {
  const { id, startedBy, uid, generation, storageVersion, dryRun: outcome, lossesKnown, losses, moreLosses } = dryRun;
  const listed = listableLosses(losses);
  return {
    ...{ id, startedBy, uid, generation, storageVersion, lossesKnown, resourceVersion: dryRun.resourceVersion, admission, settled },
    startedAt: dryRun.startedAt,
    endedAt: dryRun.endedAt ?? dryRun.startedAt,
    total: Math.max(0, (outcome.total ?? 0) - outcome.gone),
    checked: outcome.checked - outcome.gone,
    onlyRead: outcome.onlyRead,
    alreadyCurrent: outcome.alreadyCurrent,
    wouldBeRejected: outcome.wouldBeRejected,
    cannotDryRun: outcome.cannotDryRun,
    generationRises: outcome.generationRises,
    lossesUnknownBecause: dryRun.lossesUnknownBecause?.slice(0, MAX_BECAUSE) ?? null,
    unknownMayPass: dryRun.unknownMayPass,
    signature: null,
    losses: listed.map((loss, index) => ({
      ...loss,
      examples: index < WITH_EXAMPLES ? recordedExamples(loss) : [],
    })),
    moreLosses: moreLosses + losses.length - listed.length,
  };
}

// Without values: who may read the definition may not be allowed to read its objects.
function recordedExamples({ examples }: Loss): LossExample[] {
  return examples.slice(0, RECORDED_EXAMPLES).map((example) => ({ ...example, version: null, before: null, after: null }));
}

/** The losses that a record lists: those that `mostLosses` keeps, as many as there is room for. */
export function listableLosses<Listed extends Pick<Loss, "kind" | "path" | "objects">>(losses: readonly Listed[]): Listed[] {
  const encoder = new TextEncoder();
  let listed = mostLosses(losses, RECORDED_LOSSES);
  const bytes = () => encoder.encode(JSON.stringify(listed.map(({ kind, path, objects }) => ({ kind, path, objects })))).length;
  while (bytes() > RECORDED_BYTES) listed = mostLosses(listed, listed.length - 1);
  return listed;
}

/** At most this many losses, worst first, with one of every kind. */
export function mostLosses<Listed extends Pick<Loss, "kind">>(losses: readonly Listed[], most: number): Listed[] {
  const kinds = new Set<string>();
  const isFirst = losses.map(({ kind }) => kinds.size < kinds.add(kind).size);
  let spare = Math.max(0, most - kinds.size);
  const kept = losses.filter((_, index) => {
    if (isFirst[index]) return true;
    spare -= 1;
    return spare >= 0;
  });
  return kept.slice(0, most);
}
