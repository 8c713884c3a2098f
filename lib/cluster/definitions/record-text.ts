import { hasOurSignature, signed } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { eventMessage } from "#lib/cluster/history/events.ts";
import { mostLosses } from "#lib/domain/losses/dry-run.ts";
import { RECORD_MAX_BYTES } from "#lib/domain/rewrite/record-room.ts";
import type { RewriteRecord } from "#lib/domain/rewrite/rewrite-record.ts";
import type { RejectionGroup, Run } from "#lib/domain/rewrite/run.ts";

const MIN_LOSSES = 4;

/**
 * The record as the annotation holds it. Messages from elsewhere are cut after a kilobyte. If it still doesn't fit, it drops losses
 * beyond a few (the list has the worst first), then the reasons for resuming old runs, then old runs, then merges the last groups of
 * rejections. What decides (settle point, proof) always fits.
 */
export function recordText(record: RewriteRecord): string {
  let runs = record.runs.map(withShortWords);
  let { dryRun } = record;
  for (;;) {
    const text = JSON.stringify({ ...record, runs, dryRun });
    if (Buffer.byteLength(text) <= RECORD_MAX_BYTES) return text;
    const [newest] = runs;
    const resumed = runs.findLastIndex(({ reasons }, index) => index > 0 && reasons.length > 1);
    if (dryRun && dryRun.losses.length > MIN_LOSSES) {
      const cut = { ...dryRun, losses: mostLosses(dryRun.losses, dryRun.losses.length - 1), moreLosses: dryRun.moreLosses + 1 };
      dryRun = hasOurSignature(dryRun) ? signed(cut) : cut;
    } else if (resumed > 0) {
      runs = runs.map((run, index) => (index === resumed ? { ...run, reasons: run.reasons.slice(0, 1) } : run));
    } else if (runs.length > 1) {
      runs = runs.slice(0, -1);
    } else if (newest && newest.rejections.length > 1) {
      runs = [{ ...newest, rejections: foldLast(newest.rejections) }];
    } else {
      return text;
    }
  }
}

// A message from a webhook or a conversion may be longer than the whole annotation.
function withShortWords(run: Run): Run {
  return {
    ...run,
    statusReason: run.statusReason && eventMessage(run.statusReason),
    heldBackBecause: run.heldBackBecause && eventMessage(run.heldBackBecause),
    rejections: run.rejections.map((group) => ({ ...group, message: eventMessage(group.message) })),
    delegation: run.delegation && { ...run.delegation, message: eventMessage(run.delegation.message) },
  };
}

function foldLast(groups: readonly RejectionGroup[]): RejectionGroup[] {
  const [last, before] = [groups.at(-1), groups.at(-2)];
  const count = (last?.count ?? 0) + (before?.count ?? 0);
  return [...groups.slice(0, -2), { reason: "Other", message: "More reasons than fit in the annotation.", count, examples: [] }];
}
