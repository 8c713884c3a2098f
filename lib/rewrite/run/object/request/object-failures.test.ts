import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { isOwnFault, noFailures, noteFailure, type ObjectFailures, othersSoFar, type RetryableFailure } from "./object-failures.ts";

const NONE = { conversion: 0, write: 0, storing: 0 };
const failure: RetryableFailure = { kind: "retryable", isWait: false, reason: "InternalError", message: "", afterMs: null, answer: null };
const timeout: RetryableFailure = { ...failure, isWait: true, reason: "Timeout" };

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Another try fails after a tenth of a second. Returns whether the object is rejected. */
function fails(failures: ObjectFailures, gate = createGate(), what = failure): boolean {
  const [sentAt, others] = [performance.now(), othersSoFar(gate)];
  vi.advanceTimersByTime(100);
  return isOwnFault(failures, what, noteFailure(failures, what, { sentAt, others }, gate));
}

function othersWork(gate: ReturnType<typeof createGate>): void {
  vi.advanceTimersByTime(100);
  gate.succeeded();
  vi.advanceTimersByTime(100);
}

describe("failures that may be the object's own", () => {
  test("reject it once there are five, each after a success of others", () => {
    const [gate, failures] = [createGate(), noFailures(5)];
    const rejected = Array.from({ length: 5 }, () => {
      othersWork(gate);
      return fails(failures, gate);
    });
    expect(rejected).toEqual([false, false, false, false, true]);
  });

  // Where each counts (noteFailure) it is rejected for the first one after the outage.
  test("count as one if they are of the same outage", () => {
    const [gate, failures] = [createGate(), noFailures(5)];
    othersWork(gate);
    const rejected = Array.from({ length: 20 }, () => fails(failures, gate));
    othersWork(gate);
    rejected.push(fails(failures, gate));
    expect([rejected.includes(true), failures.attempts, failures.count]).toEqual([false, 2, 21]);
  });

  // Where any success since the first failure counts (noteFailure) an outage of others' last success rejects it.
  test("need a new success each, so that one from before an outage does not reject it", () => {
    const [gate, failures] = [createGate(), noFailures(5)];
    fails(failures, gate);
    othersWork(gate);
    const rejected = Array.from({ length: 20 }, () => fails(failures, gate));
    expect([rejected.includes(true), failures.attempts]).toEqual([false, 2]);
  });

  test("are those of conversion only if others were converted", () => {
    const [gate, failures] = [createGate(), noFailures(2)];
    const message = "conversion webhook for example.com/v1beta1, Kind=Widget failed: connection refused";
    const fields = { status: 500, reason: "InternalError", name: null, retryAfterMs: null, fields: [], inconsistentContinue: null };
    const conversion = { ...failure, answer: { ...fields, message } };
    fails(failures, gate, conversion);
    othersWork(gate);
    expect(fails(failures, gate, conversion)).toBe(false);
    gate.converted(performance.now());
    expect(fails(failures, gate, conversion)).toBe(true);
  });
});

describe("where only storing fails", () => {
  const inStorage = (): ObjectFailures => ({ ...noFailures(5), writing: "storing" });

  // Where dry runs count (haveWorked) a full etcd rejects every object: each one's own dry run works.
  test("dry runs of others don't make failures the object's own; stored writes do", () => {
    const [gate, failures] = [createGate(), inStorage()];
    const rejected = Array.from({ length: 20 }, () => {
      vi.advanceTimersByTime(100);
      gate.tried(performance.now());
      vi.advanceTimersByTime(100);
      return fails(failures, gate);
    });
    expect([rejected.includes(true), failures.attempts]).toEqual([false, 1]);
    for (let count = 0; count < 3; count += 1) {
      othersWork(gate);
      expect(fails(failures, gate)).toBe(false);
    }
    othersWork(gate);
    expect(fails(failures, gate)).toBe(true);
  });

  test("a comparison by a dry run shows nothing", () => {
    const [begun, gate] = [performance.now(), createGate()];
    vi.advanceTimersByTime(20_000);
    const failures = {
      ...inStorage(),
      attempts: 4,
      lastAttemptAt: begun,
      firstFailureAt: begun,
      compared: { kind: "write", at: begun + 13_000 },
    } as const;
    expect(fails({ ...failures }, gate)).toBe(false);
    expect(fails({ ...failures, writing: "write" }, gate)).toBe(true);
  });
});

// Without `compared` the write of another object is always too long ago, and the object is compared and tried again without end.
test("a comparison that took longer than a success counts still shows that the failure is the object's own", () => {
  const begun = performance.now();
  vi.advanceTimersByTime(100_000);
  const isOwn = (sentAt: number, kind: "write" | "conversion" = "write") => {
    const compared = { kind, at: begun + 13_000 };
    const failures = { ...noFailures(5), attempts: 4, lastAttemptAt: begun, firstFailureAt: begun, compared };
    return isOwnFault(failures, timeout, noteFailure(failures, timeout, { sentAt, others: NONE }, createGate()));
  };
  expect(isOwn(begun + 13_001)).toBe(true);
  // Sent before the comparison was over, or so long after it that an outage may have begun.
  expect([isOwn(begun + 12_999), isOwn(begun + 80_000)]).toEqual([false, false]);
  expect(isOwn(begun + 13_001, "conversion")).toBe(false);
});
