import { z } from "zod";
import type { CrdDetail } from "#lib/contract/definition/crd.ts";
import { lossSchema } from "#lib/contract/rewrite/dry-run.ts";
import { sampleSchema } from "#lib/contract/rewrite/run.ts";
import { holdsBack, type Loss } from "#lib/domain/losses/losses.ts";
import { type Sample, sampleOf } from "#lib/domain/losses/sample-of.ts";
import { leftForUnknownLosses } from "#lib/domain/losses/unknown-through-status.ts";
import { ApiError } from "#lib/queries/api-client.ts";

/** What the start form asks to accept. */
export interface ShownLosses {
  losses: Loss[];
  /** Paths beyond those listed. */
  more: number;
  /** What the dry run checked, if it left out objects. */
  sample: Sample | null;
  /** The dry run that found them; null if there is none. */
  dryRun: string | null;
  /**
   * Losses beside the listed ones: none, as a dry run found; unknown; or untried, without a dry run. "held-back": unknown, and a start was
   * refused for them with the listed ones accepted. "temporary": unknown for a reason that may have passed, so the rewrite makes a new dry
   * run. "offered": the dry run knew all, but the last rewrite was held back for another reason, or left objects alone whose losses it
   * couldn't tell.
   */
  others: "none" | "untried" | "unknown" | "held-back" | "temporary" | "offered";
}

/** What a refused start named, or else what the recorded dry run found. */
export function shownLosses(crd: Pick<CrdDetail, "dryRun" | "run">, refused: RefusedLosses | null): ShownLosses {
  const recorded = crd.dryRun?.invalidBecause === null ? crd.dryRun : null;
  if (refused) {
    const { losses, moreLosses, sample, unknownBecause, dryRun } = refused;
    const same = recorded !== null && recorded.id === dryRun ? recorded : null;
    // It names only what is not accepted yet.
    const more = same?.moreLosses ?? moreLosses;
    if (losses.length > 0) return { losses, more, sample, dryRun, others: unknownBecause === null ? "none" : "unknown" };
    return { losses: same?.losses ?? [], more, sample, dryRun, others: unknownBecause === null ? "none" : "held-back" };
  }
  const wasHeldBack = Boolean(crd.run?.heldBackBecause);
  const leftSome = crd.run !== null && leftForUnknownLosses(crd.run);
  if (recorded === null)
    return { losses: [], more: 0, sample: null, dryRun: null, others: wasHeldBack || leftSome ? "offered" : "untried" };
  const { id, losses, moreLosses, lossesKnown, unknownMayPass } = recorded;
  const isListed = losses.some(({ kind }) => holdsBack(kind));
  const isOffered = leftSome || (wasHeldBack && !isListed);
  const others = lossesKnown ? (isOffered ? "offered" : "none") : unknownMayPass ? "temporary" : "unknown";
  return { losses, more: moreLosses, sample: sampleOf(recorded), dryRun: id, others };
}

const refusedSchema = z.object({
  /** The unaccepted losses. */
  losses: z.array(lossSchema),
  /** Paths beyond those listed that are not accepted either. */
  moreLosses: z.number().default(0),
  /** What the dry run checked, if it left out objects. */
  sample: sampleSchema.nullable().default(null),
  /** Why others are unknown; null if none are. */
  unknownBecause: z.string().nullable().default(null),
  /** The dry run that found them; null if there is none. */
  dryRun: z.string().nullable().default(null),
});

type RefusedLosses = z.infer<typeof refusedSchema>;

/** What a refused start or resume names as not accepted; null if it was refused for another reason. */
export function refusedLosses(error: Error | null): RefusedLosses | null {
  if (!(error instanceof ApiError) || error.code !== "precondition_failed") return null;
  const refused = refusedSchema.safeParse(error.details);
  if (!refused.success) return null;
  const { losses, moreLosses, unknownBecause } = refused.data;
  return losses.length > 0 || moreLosses > 0 || unknownBecause !== null ? refused.data : null;
}
