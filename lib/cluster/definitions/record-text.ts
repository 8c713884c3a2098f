import { hasOurSignature, isOwnConsent, resigned, signedConsent } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { eventMessage } from "#lib/cluster/history/events.ts";
import { type DryRunRecord, listableLosses, mostLosses } from "#lib/domain/losses/dry-run-record.ts";
import { RECORD_MAX_BYTES } from "#lib/domain/record/record-room.ts";
import type { Proof, RewriteRecord } from "#lib/domain/record/rewrite-record.ts";
import type { AcceptedLosses, RejectionGroup, Run } from "#lib/domain/rewrite/run.ts";

const MIN_LOSSES = 4;
/** More than a run finds. Whoever may patch the definition can write thousands into its annotation. */
const MOST_REJECTIONS = 50;
const FEW_WORDS_BYTES = 256;

/**
 * The record as the annotation holds it. Messages from elsewhere are cut after a kilobyte, and lists of losses after five.
 * If it still doesn't fit, it is cut bit by bit, what matters least first. What decides (settle point, proof) always fits; of a proof's
 * accepted losses, the last ones may only be counted.
 */
export function recordText(record: RewriteRecord): string {
  let kept: RewriteRecord = {
    ...record,
    proof: withAccepted(record.proof, withListableAccepted),
    dryRun: record.dryRun && withLosses(record.dryRun, listableLosses(record.dryRun.losses)),
    runs: record.runs.map((run) => {
      const rejections = foldedAfter(run.rejections, MOST_REJECTIONS);
      return withShortWords({ ...run, rejections, acceptedLosses: withListableAccepted(run.acceptedLosses) });
    }),
  };
  for (;;) {
    const text = JSON.stringify(kept);
    if (Buffer.byteLength(text) <= RECORD_MAX_BYTES) return text;
    const shorter = firstCut(kept);
    if (!shorter) return text;
    kept = shorter;
  }
}

/**
 * The record with as many line breaks after it as it can get longer, so that whoever stores it has room for every later one. In etcd, each
 * takes two bytes, as a quote does.
 */
export function fullRecordText(record: RewriteRecord): string {
  const text = recordText(record);
  return text + "\n".repeat(Math.max(0, RECORD_MAX_BYTES - Buffer.byteLength(text)));
}

type Cut = (record: RewriteRecord, newest: Run | undefined) => RewriteRecord | null;

/** What goes when there is no room, in this order. Each takes a little, and null says that nothing is left to take. */
const cuts: readonly Cut[] = [
  ({ dryRun, ...record }) => {
    if (!dryRun || dryRun.losses.length <= MIN_LOSSES) return null;
    // The list has the worst first.
    return { ...record, dryRun: withLosses(dryRun, mostLosses(dryRun.losses, dryRun.losses.length - 1)) };
  },
  (record) => {
    const resumed = record.runs.findLastIndex(({ reasons }, index) => index > 0 && reasons.length > 1);
    const runs = record.runs.map((run, index) => (index === resumed ? { ...run, reasons: run.reasons.slice(0, 1) } : run));
    return resumed > 0 ? { ...record, runs } : null;
  },
  (record) => (record.runs.length > 1 ? { ...record, runs: record.runs.slice(0, -1) } : null),
  (record, newest) =>
    newest && newest.rejections.length > 1
      ? withNewest(record, { ...newest, rejections: foldedAfter(newest.rejections, newest.rejections.length - 1) })
      : null,
  // Its proof keeps them.
  (record, newest) => (newest && record.proof?.runId === newest.id ? withFewerOfRun(record, newest) : null),
  (record) => (record.dryRun ? { ...record, dryRun: null } : null),
  (record, newest) => {
    const shorter = newest && withFewWords(newest);
    return shorter && JSON.stringify(shorter).length < JSON.stringify(newest).length ? withNewest(record, shorter) : null;
  },
  (record) => {
    const proof = withAccepted(record.proof, withFewerAccepted);
    return proof && proof !== record.proof ? { ...record, proof } : null;
  },
  (record, newest) => (newest ? withFewerOfRun(record, newest) : null),
];

function firstCut(record: RewriteRecord): RewriteRecord | null {
  for (const cut of cuts) {
    const shorter = cut(record, record.runs[0]);
    if (shorter) return shorter;
  }
  return null;
}

function withNewest(record: RewriteRecord, run: Run): RewriteRecord {
  return { ...record, runs: [run, ...record.runs.slice(1)] };
}

function withFewerOfRun(record: RewriteRecord, run: Run): RewriteRecord | null {
  const acceptedLosses = withFewerAccepted(run.acceptedLosses);
  return acceptedLosses === run.acceptedLosses ? null : withNewest(record, { ...run, acceptedLosses });
}

// The signature covers them.
function withAccepted(proof: Proof | null, cut: typeof withFewerAccepted): Proof | null {
  if (!proof) return null;
  const acceptedLosses = cut(proof.acceptedLosses);
  if (acceptedLosses === proof.acceptedLosses) return proof;
  const shorter = { ...proof, acceptedLosses };
  return hasOurSignature(proof) ? resigned(proof, shorter) : shorter;
}

// A message from a webhook or a conversion may be longer than the whole annotation.
function withShortWords(run: Run): Run {
  return withWords(run, eventMessage);
}

function withFewWords(run: Run): Run {
  const rejections = run.rejections.map((group) => ({ ...group, examples: group.examples.slice(0, 1) }));
  return withWords({ ...run, rejections, rates: { ...run.rates, perSecond: [] } }, fewWords);
}

// As JSON, where a character may take six bytes.
function fewWords(words: string): string {
  const fits = (text: string) => Buffer.byteLength(JSON.stringify(text)) <= FEW_WORDS_BYTES;
  if (fits(words)) return words;
  let most = Math.min(words.length, FEW_WORDS_BYTES);
  const shorter = () => `${words.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`;
  while (!fits(shorter())) most -= 1;
  return shorter();
}

function withWords(run: Run, cut: (words: string) => string): Run {
  return {
    ...run,
    statusReason: run.statusReason && cut(run.statusReason),
    heldBackBecause: run.heldBackBecause && cut(run.heldBackBecause),
    interruptions: run.interruptions.map((one) => ({ ...one, because: one.because && cut(one.because) })),
    caveats: run.caveats.map(cut),
    rejections: run.rejections.map((group) => ({ ...group, message: cut(group.message) })),
    delegation: run.delegation && { ...run.delegation, message: cut(run.delegation.message) },
  };
}

/** At most this many groups; the same list if it has no more. */
function foldedAfter(groups: RejectionGroup[], most: number): RejectionGroup[] {
  if (groups.length <= most) return groups;
  const [kept, rest] = [groups.slice(0, most - 1), groups.slice(most - 1)];
  const count = rest.reduce((sum, group) => sum + group.count, 0);
  return [...kept, { reason: "Other", message: "More reasons than fit in the annotation.", count, examples: [] }];
}

/** The dry run with these of its losses, the others counted; the same object if these are all. */
function withLosses(dryRun: DryRunRecord, losses: DryRunRecord["losses"]): DryRunRecord {
  const cut = dryRun.losses.length - losses.length;
  if (cut === 0) return dryRun;
  const shorter = { ...dryRun, losses, moreLosses: dryRun.moreLosses + cut };
  return hasOurSignature(dryRun) ? resigned(dryRun, shorter) : shorter;
}

/** The acceptance with as many of its losses as a record lists, the others counted; the same object if it lists them all. */
function withListableAccepted(accepted: AcceptedLosses | null): AcceptedLosses | null {
  return accepted && listing(accepted, listableLosses(accepted.losses));
}

/** The acceptance with one loss fewer, which is counted instead; the same object if none is listed. */
function withFewerAccepted(accepted: AcceptedLosses | null): AcceptedLosses | null {
  return accepted && listing(accepted, mostLosses(accepted.losses, Math.max(0, accepted.losses.length - 1)));
}

function listing(accepted: AcceptedLosses, losses: AcceptedLosses["losses"]): AcceptedLosses {
  const cut = accepted.losses.length - losses.length;
  if (cut === 0) return accepted;
  const shorter = { ...accepted, losses, more: accepted.more + cut };
  return isOwnConsent(accepted) ? signedConsent(shorter) : shorter;
}
