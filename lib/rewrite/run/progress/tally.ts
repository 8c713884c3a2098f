import type { ObjectName, RateHistory, RejectionGroup, RunCounts } from "#lib/domain/rewrite/run.ts";
import { createRateHistory } from "#lib/rewrite/pacing/rate-history.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import { createRejectionGroups } from "./rejection-groups.ts";

/** Counts outcomes and their rate. */
export interface Tally {
  /** Sets the number of objects according to the list. */
  expect(total: number): void;
  count(object: ObjectName, outcome: Outcome): void;
  /** The list restarted: discards all counts. */
  restart(): void;
  /** Merges a later pass: adds objects that no earlier pass saw; recounts the others that it rewrote or rejected. */
  amend(later: Tally): void;
  counts(): RunCounts;
  rejections(): RejectionGroup[];
  /** Objects rewritten through `/status`, and objects whose managedFields were carried over or lost. */
  special(): { throughStatus: number; kept: number; lost: number };
  /** Objects per second over the last ten seconds, and the remaining seconds at that rate; null until the rate is steady. */
  speed(): { ratePerSecond: number | null; etaSeconds: number | null };
  /** Resets the rate for an intended pause: the rate before it says nothing about the rate after it. */
  rest(): void;
  rates(): RateHistory;
}

const WINDOW_MS = 10_000;
const STEADY_AFTER_MS = 2_000;
const SAMPLE_EVERY_MS = 250;

const NOTHING_DONE = { rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 };
const NOTHING_SPECIAL = { throughStatus: 0, kept: 0, lost: 0 };

export function createTally(now: () => number = () => performance.now()): Tally {
  let total: number | null = null;
  let done = { ...NOTHING_DONE };
  let special = { ...NOTHING_SPECIAL };
  let groups = createRejectionGroups();
  let samples: { at: number; done: number }[] = [];
  const history = createRateHistory(now);

  const finished = () => done.rewritten + done.alreadyCurrent + done.gone + done.rejected;
  const sample = () => {
    const at = now();
    const last = samples.at(-1);
    if (last && at - last.at < SAMPLE_EVERY_MS) return;
    samples.push({ at, done: finished() });
    samples = samples.filter((one) => at - one.at <= WINDOW_MS);
  };

  return {
    expect(objects) {
      total = objects;
    },
    count(object, outcome) {
      sample();
      done[outcome.kind] += 1;
      history.count();
      if (outcome.kind === "rejected") groups.add(object, outcome);
      if (outcome.kind !== "rewritten" && outcome.kind !== "rejected") return;
      if (outcome.kind === "rewritten" && outcome.throughStatus) special.throughStatus += 1;
      if (outcome.ownership) special[outcome.ownership] += 1;
    },
    restart() {
      done = { ...NOTHING_DONE };
      special = { ...NOTHING_SPECIAL };
      groups = createRejectionGroups();
      samples = [];
    },
    amend(later) {
      const more = later.counts();
      const dealtWith = more.rewritten + more.rejected;
      const unseen = Math.max(0, (more.total ?? 0) - (finished() - done.gone));
      const recounted = Math.max(0, dealtWith - unseen);
      const wereCurrent = Math.min(done.alreadyCurrent, recounted);
      done.alreadyCurrent += Math.max(0, unseen - dealtWith) - wereCurrent;
      done.rewritten += more.rewritten - Math.min(done.rewritten, recounted - wereCurrent);
      done.rejected += more.rejected;
      groups.take(later.rejections());
      const { throughStatus, kept, lost } = later.special();
      special = { throughStatus: special.throughStatus + throughStatus, kept: special.kept + kept, lost: special.lost + lost };
    },
    counts() {
      // Objects created after the first page can make the list longer than it announced.
      const all = total === null ? null : Math.max(total, finished());
      return { total: all, ...done, remaining: all === null ? null : all - finished() };
    },
    rejections: () => groups.list(),
    special: () => special,
    speed() {
      sample();
      const first = samples[0];
      const span = first ? now() - first.at : 0;
      if (!first || span < STEADY_AFTER_MS) return { ratePerSecond: null, etaSeconds: null };
      const ratePerSecond = ((finished() - first.done) * 1_000) / span;
      const left = total === null ? null : Math.max(0, total - finished());
      return { ratePerSecond, etaSeconds: left === null || ratePerSecond <= 0 ? null : left / ratePerSecond };
    },
    rest() {
      samples = [];
    },
    rates: history.read,
  };
}
