import { compareResourceVersions } from "#lib/domain/objects/resource-version.ts";
import { rejectedAfterwards } from "#lib/domain/rewrite/rejected-words.ts";
import type { ObjectName, RateHistory, RejectionGroup, Run, RunCounts } from "#lib/domain/rewrite/run.ts";
import { createRateHistory } from "#lib/rewrite/pacing/rate-history.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { createRejectionGroups } from "./rejection-groups.ts";

/** Counts what a run did, each object once however often it is listed, and its rate. One that was rewritten and rejected later counts as both. */
export interface Tally {
  /** A list begins, for the first time or again; objects above `current` are current. What was rewritten before stays rewritten. */
  begin(current: string): void;
  /** Sets the number of objects according to the list. */
  expect(total: number): void;
  /** `mayBeAgain`: the run may have rewritten this object before. */
  count(object: ObjectName, outcome: Outcome, mayBeAgain?: boolean): void;
  /** An outcome that arrived after its list had restarted: its object is listed, and counted, again. */
  countLate(outcome: Outcome): void;
  /** How an object's patch ended will not be known: more may be rewritten. */
  countUnknown(): void;
  /**
   * Merges a later pass: recounts objects that it rewrote or rejected. If it has ended, objects that no earlier pass saw are known, and
   * added.
   */
  amend(later: Tally, hasEnded?: boolean): void;
  counts(): RunCounts;
  /** More objects may be rewritten than counted. */
  isAtLeast(): boolean;
  rejections(): RejectionGroup[];
  /** Objects rewritten through `/status`, and objects whose managedFields were carried over or lost. */
  statusAndOwnership(): { throughStatus: number; kept: number; lost: number };
  /** Objects per second over the last ten seconds, and the remaining seconds at that rate; null until the rate is steady. */
  speed(): { ratePerSecond: number | null; etaSeconds: number | null };
  /** Resets the rate for an intended pause: the rate before it says nothing about the rate after it. */
  rest(): void;
  rates(): RateHistory;
}

const WINDOW_MS = 10_000;
const STEADY_AFTER_MS = 2_000;
const SAMPLE_EVERY_MS = 250;
/** Writes of a list that are remembered, in case that their answers to the list before come later: minutes at the pace of any API server. */
const LATE_WITHIN = 50_000;

/** `again`: rewritten, and perhaps one of those that were rewritten before this list. */
const NOTHING_DONE = { rewritten: 0, again: 0, alreadyCurrent: 0, gone: 0, rejected: 0 };
/** `left`: no more than these needed a request when this list began. */
const NOTHING_EARLIER = { rewritten: 0, alreadyCurrent: 0, gone: 0, left: Number.POSITIVE_INFINITY };

type Begun = Pick<Run, "counts" | "rejections" | "throughStatus" | "ownership" | "settleResourceVersion" | "rewrittenAtLeast">;

/** A tally that begins at zero, or where the record of a resumed run ends. */
export function createTally(run: Begun | null = null, now: () => number = () => performance.now()): Tally {
  let total = run?.counts.total ?? null;
  let settledAt = run?.settleResourceVersion ?? null;
  let earlier = { ...NOTHING_EARLIER };
  let done = { ...NOTHING_DONE };
  const statusAndOwnership = {
    throughStatus: run?.throughStatus.objects ?? 0,
    kept: run?.ownership.kept ?? 0,
    lost: run?.ownership.lost ?? 0,
  };
  let isAtLeast = run?.rewrittenAtLeast ?? false;
  /** Objects that were rewritten, and rejected later. */
  let both = run ? rejectedAfterwards(run.counts) : 0;
  // Each write has its own resourceVersion: the newest of those counted, the newest of those counted before this list, late ones, and
  // those of this list that may still come late.
  let newest = "0";
  let newestBefore = "0";
  const late = new Set<string>();
  const sinceRestart = new Set<string>();
  let groups = createRejectionGroups();
  let samples: { at: number; done: number }[] = [];
  const history = createRateHistory(now);
  if (run) {
    const { rewritten, alreadyCurrent, gone, rejected } = run.counts;
    done = { ...NOTHING_DONE, rewritten, alreadyCurrent, gone, rejected };
    groups.take(run.rejections);
  }

  const finished = () => done.rewritten + done.again + done.alreadyCurrent + done.gone + done.rejected - both;
  const sample = () => {
    const at = now();
    const last = samples.at(-1);
    if (last && at - last.at < SAMPLE_EVERY_MS) return;
    samples.push({ at, done: finished() });
    samples = samples.filter((one) => at - one.at <= WINDOW_MS);
  };

  const countStatusAndOwnership = (outcome: Outcome) => {
    if (outcome.kind === "gone") return;
    if (outcome.kind === "rewritten" && outcome.throughStatus) statusAndOwnership.throughStatus += 1;
    if (outcome.ownership) statusAndOwnership[outcome.ownership] += 1;
  };
  const wasCounted = (outcome: Outcome) => {
    if (outcome.kind !== "rewritten") return false;
    return late.has(outcome.resourceVersion) || compareResourceVersions(outcome.resourceVersion, newestBefore) <= 0;
  };

  const counts = (): RunCounts => {
    const gone = earlier.gone + done.gone;
    const { rejected } = done;
    const rewritten = done.rewritten + Math.max(done.again, earlier.rewritten);
    // The objects that were rewritten before are current in this list, once it comes to them.
    const listedAgain = Math.max(0, earlier.rewritten - done.again);
    const alreadyCurrent = Math.max(earlier.alreadyCurrent, done.alreadyCurrent - listedAgain);
    const all = { rewritten, alreadyCurrent, gone, rejected };
    if (total === null) return { total, ...all, remaining: null };
    const left = Math.max(0, earlier.left - done.rewritten - done.gone - done.rejected);
    const remaining = Math.min(left, Math.max(0, total - finished()));
    const seen = rewritten + alreadyCurrent + gone + rejected - both + remaining;
    // Only where everything is to be done again do those that were rewritten before remain, too.
    const seenTwice = earlier.left === Number.POSITIVE_INFINITY ? Math.min(remaining, Math.max(0, listedAgain - done.alreadyCurrent)) : 0;
    // Objects that were created or deleted after the first page make it more than the list announced.
    return { total: Math.max(total, seen - seenTwice), ...all, remaining };
  };

  return {
    begin(current) {
      const { total: before, remaining, ...told } = counts();
      const isAnew = settledAt !== null && settledAt !== current;
      // Under another settle point everything is to be done again, and what was rejected may be what was rewritten before.
      const left = isAnew || both > 0 || before === null || remaining === null ? NOTHING_EARLIER.left : remaining + told.rejected;
      const { rewritten, gone } = told;
      earlier = { rewritten, gone, left, alreadyCurrent: isAnew ? 0 : told.alreadyCurrent };
      settledAt = current;
      newestBefore = newest;
      sinceRestart.clear();
      total = null;
      done = { ...NOTHING_DONE };
      both = 0;
      groups = createRejectionGroups();
      samples = [];
    },
    expect(objects) {
      total = objects;
    },
    count(object, outcome, mayBeAgain = false) {
      sample();
      // The list shows it as it was before, and the answer to the patch that found it current was lost.
      const isCurrent = wasCounted(outcome);
      const isAgain = outcome.kind === "rewritten" && !isCurrent && (mayBeAgain || earlier.left === NOTHING_EARLIER.left);
      done[isCurrent ? "alreadyCurrent" : isAgain ? "again" : outcome.kind] += 1;
      if (outcome.kind === "rewritten" && compareResourceVersions(outcome.resourceVersion, newest) > 0) newest = outcome.resourceVersion;
      if (outcome.kind === "rewritten" && !isCurrent && sinceRestart.size < LATE_WITHIN) sinceRestart.add(outcome.resourceVersion);
      if (isAgain && earlier.rewritten > 0) isAtLeast = true;
      history.count();
      if (outcome.kind === "rejected") groups.add(object, outcome);
      if (!isCurrent) countStatusAndOwnership(outcome);
    },
    countLate(outcome) {
      // The restarted list has shown the same write already, before its answer came.
      if (outcome.kind === "rewritten" && sinceRestart.has(outcome.resourceVersion)) return;
      if (outcome.kind === "rewritten") {
        earlier.rewritten += 1;
        earlier.left -= 1;
        late.add(outcome.resourceVersion);
      }
      countStatusAndOwnership(outcome);
    },
    countUnknown() {
      isAtLeast = true;
    },
    amend(later, hasEnded = true) {
      const { total: all, remaining: _, ...told } = counts();
      total = all;
      done = { ...NOTHING_DONE, ...told };
      earlier = { ...NOTHING_EARLIER };
      const more = later.counts();
      const dealtWith = more.rewritten + more.rejected;
      const unseen = hasEnded ? Math.max(0, (more.total ?? 0) - (finished() - done.gone)) : 0;
      const recounted = Math.max(0, dealtWith - unseen);
      const wereCurrent = Math.min(done.alreadyCurrent, recounted);
      done.alreadyCurrent += Math.max(0, unseen - dealtWith) - wereCurrent;
      const wereRewritten = Math.min(done.rewritten, recounted - wereCurrent);
      // They stay rewritten.
      const rejectedSince = Math.min(wereRewritten, more.rejected);
      both += rejectedSince;
      done.rewritten += more.rewritten - (wereRewritten - rejectedSince);
      done.rejected += more.rejected;
      groups.take(later.rejections());
      const { throughStatus, kept, lost } = later.statusAndOwnership();
      statusAndOwnership.throughStatus += throughStatus;
      statusAndOwnership.kept += kept;
      statusAndOwnership.lost += lost;
      isAtLeast ||= later.isAtLeast();
    },
    counts,
    isAtLeast: () => isAtLeast,
    rejections: () => groups.list(),
    statusAndOwnership: () => statusAndOwnership,
    speed() {
      sample();
      const first = samples[0];
      const span = first ? now() - first.at : 0;
      if (!first || span < STEADY_AFTER_MS) return { ratePerSecond: null, etaSeconds: null };
      const ratePerSecond = ((finished() - first.done) * 1_000) / span;
      const { remaining } = counts();
      return { ratePerSecond, etaSeconds: remaining === null || ratePerSecond <= 0 ? null : remaining / ratePerSecond };
    },
    rest() {
      samples = [];
    },
    rates: history.read,
  };
}
