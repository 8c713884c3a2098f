import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rejectedAfterwards } from "#lib/domain/rewrite/rejected-words.ts";
import type { RunCounts } from "#lib/domain/rewrite/run.ts";
import { sampleRun } from "#lib/domain/testing/sample-crd.ts";
import type { Outcome } from "#lib/rewrite/run/object/outcome.ts";
import type { Tally } from "./tally.ts";
import { begun, clocked, named } from "./testing/clocked-tally.ts";

const REWRITTEN: Outcome = { kind: "rewritten", resourceVersion: "1001" };
const rejected = (message: string, reason = "Forbidden"): Outcome => ({ kind: "rejected", reason, message });

describe("counts", () => {
  test("every outcome once, and what remains", () => {
    const { tally } = clocked();
    expect(tally.counts()).toEqual({ total: null, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: null });
    tally.expect(10);
    for (const kind of ["alreadyCurrent", "gone"] as const) tally.count(named(kind), { kind });
    for (const name of ["a", "b"]) tally.count(named(name), REWRITTEN);
    tally.count(named("d"), rejected("no"));
    expect(tally.counts()).toEqual({ total: 10, rewritten: 2, alreadyCurrent: 1, gone: 1, rejected: 1, remaining: 5 });
  });

  test("never show a negative remainder if objects were created meanwhile", () => {
    const { tally } = clocked();
    tally.expect(1);
    for (const name of ["a", "b", "c"]) tally.count(named(name), REWRITTEN);
    expect(tally.counts()).toMatchObject({ total: 3, remaining: 0 });
  });

  test("drop what was rejected when the list restarts: it is tried again", () => {
    const { tally } = clocked();
    begun(tally, 10);
    tally.count(named("a"), rejected("no"));
    begun(tally, 10);
    expect(tally.counts()).toEqual({ total: 10, rewritten: 0, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 10 });
    expect(tally.rejections()).toEqual([]);
  });

  // Without rejectedSince (tally.ts) a run that stored every object, and then couldn't verify them, says that it rewrote none.
  test("still have one outcome per object after a later pass, or two if it rejects what was rewritten", () => {
    const kinds = fc.array(fc.constantFrom("rewritten" as const, "alreadyCurrent" as const, "gone" as const), {
      minLength: 1,
      maxLength: 50,
    });
    fc.assert(
      fc.property(kinds, fc.nat(), fc.nat(), (outcomes, rewrites, rejections) => {
        const { tally } = clocked();
        tally.expect(outcomes.length);
        outcomes.forEach((kind, index) => void tally.count(named(`o${index}`), kind === "rewritten" ? REWRITTEN : { kind }));
        const { gone, rewritten } = tally.counts();
        const left = outcomes.length - gone;
        const again = rewrites % (left + 1);
        const refused = rejections % (left - again + 1);
        const later = clocked().tally;
        later.expect(left);
        for (let index = 0; index < again; index++) later.count(named(`o${index}`), REWRITTEN);
        for (let index = 0; index < refused; index++) later.count(named(`r${index}`), rejected("no"));
        tally.amend(later);
        const counts = tally.counts();
        const sum = counts.rewritten + counts.alreadyCurrent + counts.gone + counts.rejected;
        expect(sum - rejectedAfterwards(counts)).toBe(outcomes.length);
        expect(counts).toMatchObject({ total: outcomes.length, gone, rejected: refused, remaining: 0 });
        expect(Math.min(counts.rewritten, counts.alreadyCurrent)).toBeGreaterThanOrEqual(0);
        expect(counts.rewritten).toBeGreaterThanOrEqual(Math.max(again, rewritten));
      }),
    );
  });

  test("include objects that only a later pass saw", () => {
    const { tally } = clocked();
    tally.expect(2);
    tally.count(named("a"), REWRITTEN);
    tally.count(named("b"), { kind: "gone" });
    const later = clocked().tally;
    later.expect(3);
    later.count(named("hidden before"), REWRITTEN);
    for (const name of ["a", "created since"]) later.count(named(name), { kind: "alreadyCurrent" });
    tally.amend(later);
    expect(tally.counts()).toEqual({ total: 4, rewritten: 2, alreadyCurrent: 1, gone: 1, rejected: 0, remaining: 0 });
  });
});

let revision = 1_000;
/** Each write has a resourceVersion of its own. */
function written(outcome: Outcome): Outcome {
  revision += 1;
  return outcome.kind === "rewritten" ? { ...outcome, resourceVersion: String(revision) } : outcome;
}

function outcomes(tally: Tally, outcome: Outcome, objects: number): void {
  for (let index = 0; index < objects; index++) tally.count(named(`o${index}`), written(outcome));
}

const CURRENT: Outcome = { kind: "alreadyCurrent" };
const share = ({ total, remaining }: RunCounts) => ((total ?? 0) - (remaining ?? 0)) / (total ?? 1);

describe("what a run did before its list", () => {
  test("is kept when the list restarts, and each object counts once", () => {
    const { tally } = clocked();
    begun(tally, 120);
    outcomes(tally, CURRENT, 10);
    outcomes(tally, REWRITTEN, 50);
    const before = tally.counts();
    begun(tally, 120);
    expect(tally.counts()).toEqual(before);
    outcomes(tally, CURRENT, 60);
    expect(tally.counts()).toEqual(before);
    outcomes(tally, REWRITTEN, 60);
    expect(tally.counts()).toEqual({ total: 120, rewritten: 110, alreadyCurrent: 10, gone: 0, rejected: 0, remaining: 0 });
  });

  // Without the newest resourceVersion of the earlier list, and the late ones (tally.ts), an object counts twice.
  test("includes objects that the list shows as they were before they were rewritten, once", () => {
    const { tally } = clocked();
    const wrote = (resourceVersion: string): Outcome => ({ kind: "rewritten", resourceVersion });
    begun(tally, 3);
    tally.count(named("a"), wrote("1009"));
    begun(tally, 3);
    tally.countLate(wrote("1011"));
    tally.countLate(rejected("no"));
    tally.count(named("a"), wrote("1009"));
    tally.count(named("b"), wrote("1011"));
    expect(tally.counts()).toMatchObject({ rewritten: 2, remaining: 1 });
    tally.count(named("c"), wrote("1010"));
    expect(tally.counts()).toEqual({ total: 3, rewritten: 3, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 });
  });

  // Without what the restarted list counted (tally.ts), the object counts twice.
  test("counts an object once whose own answer comes after the restarted list has shown what it wrote", () => {
    const { tally } = clocked();
    begun(tally, 2);
    begun(tally, 2);
    const wrote: Outcome = { kind: "rewritten", resourceVersion: "1020" };
    tally.count(named("a"), wrote);
    tally.countLate(wrote);
    tally.count(named("b"), { kind: "rewritten", resourceVersion: "1021" });
    expect(tally.counts()).toEqual({ total: 2, rewritten: 2, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 });
  });

  // With every write of the list remembered (tally.ts), one that passed for counted and its loss are counted nowhere.
  test("counts a late answer that the restarted list has taken for counted before", () => {
    const { tally } = clocked();
    begun(tally, 2);
    tally.count(named("b"), { kind: "rewritten", resourceVersion: "1012" });
    begun(tally, 2);
    tally.count(named("a"), { kind: "rewritten", resourceVersion: "1010" });
    tally.countLate({ kind: "rewritten", resourceVersion: "1010", ownership: "lost" });
    tally.count(named("b"), CURRENT);
    expect(tally.counts()).toEqual({ total: 2, rewritten: 2, alreadyCurrent: 0, gone: 0, rejected: 0, remaining: 0 });
    expect(tally.statusAndOwnership().lost).toBe(1);
  });

  const recorded = sampleRun({
    settleResourceVersion: "900",
    counts: { total: 40, rewritten: 20, alreadyCurrent: 5, gone: 2, rejected: 1, remaining: 12 },
    rejections: [{ reason: "Forbidden", message: "no", count: 1, examples: [named("a")] }],
    throughStatus: { allowed: true, objects: 3 },
    ownership: { keep: true, kept: 4, lost: 5 },
  });

  test("is what its record says, until a resumed run lists", () => {
    const { tally } = clocked(recorded);
    expect(tally.counts()).toEqual(recorded.counts);
    expect(tally.rejections()).toEqual(recorded.rejections);
    expect(tally.statusAndOwnership()).toEqual({ throughStatus: 3, kept: 4, lost: 5 });
  });

  test("goes on in a resumed run", () => {
    const { tally } = clocked(recorded);
    begun(tally, 38);
    expect(tally.counts()).toEqual({ ...recorded.counts, rejected: 0, remaining: 13 });
    outcomes(tally, CURRENT, 25);
    outcomes(tally, { kind: "rewritten", resourceVersion: "1001", throughStatus: true, ownership: "kept" }, 13);
    expect(tally.counts()).toEqual({ total: 40, rewritten: 33, alreadyCurrent: 5, gone: 2, rejected: 0, remaining: 0 });
    expect(tally.statusAndOwnership()).toEqual({ throughStatus: 16, kept: 17, lost: 5 });
  });

  test("stays done although the objects were deleted since, and hides none that remain", () => {
    const { tally } = clocked(sampleRun({ ...recorded, counts: { ...recorded.counts, rewritten: 300, total: 320 } }));
    begun(tally, 20);
    outcomes(tally, CURRENT, 7);
    expect(tally.counts()).toMatchObject({ rewritten: 300, remaining: 13 });
    outcomes(tally, REWRITTEN, 13);
    expect(tally.counts()).toEqual({ total: 320, rewritten: 313, alreadyCurrent: 5, gone: 2, rejected: 0, remaining: 0 });
  });

  test("counts no object twice that is rewritten again under another settle point, where everything remains", () => {
    const { tally } = clocked(recorded);
    begun(tally, 38, "950");
    expect(tally.counts()).toMatchObject({ total: 40, rewritten: 20, remaining: 38 });
    outcomes(tally, REWRITTEN, 38);
    expect(tally.counts()).toEqual({ total: 40, rewritten: 38, alreadyCurrent: 0, gone: 2, rejected: 0, remaining: 0 });
    expect(tally.isAtLeast()).toBe(true);
  });

  test("counts no object twice that something stored at an older version since", () => {
    const { tally } = clocked(recorded);
    begun(tally, 38);
    outcomes(tally, CURRENT, 24);
    tally.count(named("again"), written(REWRITTEN), true);
    outcomes(tally, REWRITTEN, 13);
    expect(tally.counts()).toEqual({ total: 40, rewritten: 33, alreadyCurrent: 5, gone: 2, rejected: 0, remaining: 0 });
  });

  test("may be more if a write was never answered", () => {
    const { tally } = clocked();
    expect(tally.isAtLeast()).toBe(false);
    tally.countUnknown();
    begun(tally, 2);
    expect(tally.isAtLeast()).toBe(true);
    expect(clocked(sampleRun({ rewrittenAtLeast: true })).tally.isAtLeast()).toBe(true);
  });

  test("progress never runs backwards or exceeds the total, however often the list restarts", () => {
    const kinds = fc.array(fc.constantFrom(REWRITTEN, CURRENT, { kind: "gone" } as const), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(kinds, fc.array(fc.nat(60), { maxLength: 4 }), (all, stops) => {
        const { tally } = clocked();
        const rewritten = new Set<number>();
        const gone = new Set<number>();
        let last = { rewritten: 0, share: 0 };
        const look = () => {
          const counts = tally.counts();
          const now = { rewritten: counts.rewritten, share: share(counts) };
          expect(now.rewritten).toBe(rewritten.size);
          expect(now.share).toBeGreaterThanOrEqual(last.share);
          expect(now.share).toBeLessThanOrEqual(1);
          const { total, remaining, rejected: _, ...done } = counts;
          expect(done.rewritten + done.alreadyCurrent + done.gone + (remaining ?? 0)).toBe(total);
          last = now;
        };
        for (const stop of [...stops, all.length]) {
          begun(tally, all.length - gone.size);
          for (const [index, outcome] of all.slice(0, stop).entries()) {
            if (gone.has(index)) continue;
            look();
            tally.count(named(`o${index}`), rewritten.has(index) ? CURRENT : written(outcome));
            if (outcome.kind === "rewritten") rewritten.add(index);
            if (outcome.kind === "gone") gone.add(index);
          }
          look();
        }
        expect(tally.counts()).toMatchObject({ total: all.length, remaining: 0, gone: gone.size });
      }),
    );
  });
});

describe("rejections", () => {
  test("of one cause are one group, although every message names its object", () => {
    const { tally } = clocked();
    for (const name of ["one", "two", "three"]) tally.count(named(name), rejected(`crontabs "${name}" is forbidden: frozen`));
    tally.count(named("four"), rejected("the quota is used up"));
    tally.count(named("five"), rejected("the quota is used up", "Invalid"));
    expect(tally.rejections().map(({ reason, count, examples }) => [reason, count, examples.map(({ name }) => name)])).toEqual([
      ["Forbidden", 3, ["one", "two", "three"]],
      ["Forbidden", 1, ["four"]],
      ["Invalid", 1, ["five"]],
    ]);
  });

  test("keep ten examples, with their namespaces", () => {
    const { tally } = clocked();
    for (let index = 0; index < 50; index++) tally.count(named(`o-${index}`, `ns-${index}`), rejected("no"));
    const [group] = tally.rejections();
    expect(group).toMatchObject({ count: 50 });
    expect(group?.examples).toHaveLength(10);
    expect(group?.examples[9]).toEqual({ namespace: "ns-9", name: "o-9" });
  });

  test("stay bounded for any number of causes and length of message, and all are counted", () => {
    const { tally } = clocked();
    for (let index = 0; index < 500; index++) tally.count(named(`o-${index}`), rejected(`cause ${index % 200} ${"x".repeat(5_000)}`));
    const groups = tally.rejections();
    expect(groups.length).toBeLessThanOrEqual(21);
    expect(Math.max(...groups.map(({ message }) => message.length))).toBeLessThanOrEqual(1_000);
    expect(groups.reduce((all, { count }) => all + count, 0)).toBe(500);
    expect(groups.at(-1)).toMatchObject({ reason: "Other", count: 500 - 20 * 3 });
  });
});
