import type { ObjectName, RejectionGroup, RunCounts } from "#lib/domain/rewrite.ts";
import type { Outcome } from "./rewrite-objects.ts";

/** Counts outcomes as they come, and how fast. */
export interface Tally {
  /** The list says how many objects there are. */
  expect(total: number): void;
  count(object: ObjectName, outcome: Outcome): void;
  /** The list began again: what was counted is void. */
  restart(): void;
  /** A later pass over the same objects found more: what it rewrote or rejected had been counted as current before. */
  amend(later: Tally): void;
  counts(): RunCounts;
  rejections(): RejectionGroup[];
  /** Objects per second over the last ten seconds, and what is left at that rate; null until it is steady. */
  speed(): { ratePerSecond: number | null; etaSeconds: number | null };
}

const MAX_GROUPS = 20;
const MAX_EXAMPLES = 10;
const MAX_MESSAGE = 1_000;
const WINDOW_MS = 10_000;
const STEADY_AFTER_MS = 2_000;
const SAMPLE_EVERY_MS = 250;

export function createTally(now: () => number = () => performance.now()): Tally {
  let total: number | null = null;
  let done = { rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 };
  let groups = new Map<string, RejectionGroup>();
  let samples: { at: number; done: number }[] = [];

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
      if (outcome.kind === "rejected") addRejection(groups, object, outcome);
    },
    restart() {
      done = { rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0 };
      groups = new Map();
      samples = [];
    },
    amend(later) {
      const more = later.counts();
      done.rewritten += more.rewritten;
      done.rejected += more.rejected;
      const recounted = Math.min(done.alreadyCurrent, more.rewritten + more.rejected);
      done.alreadyCurrent -= recounted;
      done.rewritten -= Math.min(done.rewritten, more.rewritten + more.rejected - recounted);
      for (const group of later.rejections()) groups.set(`${group.reason}\n${group.message}`, group);
    },
    counts() {
      // Objects that were created after the first page of the list may make it longer than it said.
      const all = total === null ? null : Math.max(total, finished());
      return { total: all, ...done, remaining: all === null ? null : all - finished() };
    },
    rejections: () => [...groups.values()],
    speed() {
      sample();
      const first = samples[0];
      const span = first ? now() - first.at : 0;
      if (!first || span < STEADY_AFTER_MS) return { ratePerSecond: null, etaSeconds: null };
      const ratePerSecond = ((finished() - first.done) * 1_000) / span;
      const left = total === null ? null : Math.max(0, total - finished());
      return { ratePerSecond, etaSeconds: left === null || ratePerSecond <= 0 ? null : left / ratePerSecond };
    },
  };
}

function addRejection(
  groups: Map<string, RejectionGroup>,
  object: ObjectName,
  { reason, message }: { reason: string; message: string },
): void {
  // Messages name their object: without the name, one cause is one group.
  const key = `${reason}\n${message.replaceAll(object.name, "…")}`;
  const full = groups.size >= MAX_GROUPS && !groups.has(key);
  const slot = full ? "other" : key;
  const group = groups.get(slot) ?? { reason: full ? "Other" : reason, message: message.slice(0, MAX_MESSAGE), count: 0, examples: [] };
  group.count += 1;
  if (group.examples.length < MAX_EXAMPLES) group.examples.push({ namespace: object.namespace, name: object.name });
  groups.set(slot, group);
}
