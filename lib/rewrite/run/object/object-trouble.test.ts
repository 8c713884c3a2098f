import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { isOwnFault, noTrouble, noteFailure, othersSoFar, type PassingFailure, type Trouble } from "./object-trouble.ts";

const NONE = { conversion: 0, write: 0, storing: 0 };
const failure: PassingFailure = { kind: "passing", isWait: false, reason: "InternalError", message: "", afterMs: null, answer: null };
const timeout: PassingFailure = { ...failure, isWait: true, reason: "Timeout" };

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Another try fails after a tenth of a second. Returns whether the object is rejected. */
function fails(trouble: Trouble, gate = createGate(), what = failure): boolean {
  const [sentAt, others] = [performance.now(), othersSoFar(gate)];
  vi.advanceTimersByTime(100);
  return isOwnFault(trouble, what, noteFailure(trouble, what, { sentAt, others }, gate));
}

function othersWork(gate: ReturnType<typeof createGate>): void {
  vi.advanceTimersByTime(100);
  gate.succeeded();
  vi.advanceTimersByTime(100);
}

describe("failures that may be the object's own", () => {
  test("reject it once there are five, each after a success of others", () => {
    const [gate, trouble] = [createGate(), noTrouble(5)];
    const rejected = Array.from({ length: 5 }, () => {
      othersWork(gate);
      return fails(trouble, gate);
    });
    expect(rejected).toEqual([false, false, false, false, true]);
  });

  // Where each counts (noteFailure) it is rejected for the first one after the outage.
  test("count as one if they are of the same outage", () => {
    const [gate, trouble] = [createGate(), noTrouble(5)];
    othersWork(gate);
    const rejected = Array.from({ length: 20 }, () => fails(trouble, gate));
    othersWork(gate);
    rejected.push(fails(trouble, gate));
    expect([rejected.includes(true), trouble.attempts, trouble.failures]).toEqual([false, 2, 21]);
  });

  // Where any success since the first failure counts (noteFailure) an outage of others' last success rejects it.
  test("need a new success each, so that one from before an outage does not reject it", () => {
    const [gate, trouble] = [createGate(), noTrouble(5)];
    fails(trouble, gate);
    othersWork(gate);
    const rejected = Array.from({ length: 20 }, () => fails(trouble, gate));
    expect([rejected.includes(true), trouble.attempts]).toEqual([false, 2]);
  });

  test("are those of conversion only if others were converted", () => {
    const [gate, trouble] = [createGate(), noTrouble(2)];
    const message = "conversion webhook for example.com/v1beta1, Kind=Widget failed: connection refused";
    const fields = { status: 500, reason: "InternalError", name: null, retryAfterMs: null, fields: [], inconsistentContinue: null };
    const conversion = { ...failure, answer: { ...fields, message } };
    fails(trouble, gate, conversion);
    othersWork(gate);
    expect(fails(trouble, gate, conversion)).toBe(false);
    gate.converted(performance.now());
    expect(fails(trouble, gate, conversion)).toBe(true);
  });
});

describe("where only storing fails", () => {
  const inStorage = (): Trouble => ({ ...noTrouble(5), writing: "storing" });

  // Where dry runs count (haveWorked) a full etcd rejects every object: each one's own dry run works.
  test("dry runs of others don't make failures the object's own; stored writes do", () => {
    const [gate, trouble] = [createGate(), inStorage()];
    const rejected = Array.from({ length: 20 }, () => {
      vi.advanceTimersByTime(100);
      gate.tried(performance.now());
      vi.advanceTimersByTime(100);
      return fails(trouble, gate);
    });
    expect([rejected.includes(true), trouble.attempts]).toEqual([false, 1]);
    for (let count = 0; count < 3; count += 1) {
      othersWork(gate);
      expect(fails(trouble, gate)).toBe(false);
    }
    othersWork(gate);
    expect(fails(trouble, gate)).toBe(true);
  });

  test("a comparison by a dry run shows nothing", () => {
    const [begun, gate] = [performance.now(), createGate()];
    vi.advanceTimersByTime(20_000);
    const trouble = {
      ...inStorage(),
      attempts: 4,
      lastAttemptAt: begun,
      firstFailureAt: begun,
      compared: { kind: "write", at: begun + 13_000 },
    } as const;
    expect(fails({ ...trouble }, gate)).toBe(false);
    expect(fails({ ...trouble, writing: "write" }, gate)).toBe(true);
  });
});

// Without `compared` the write of another object is always too long ago, and the object is compared and tried again without end.
test("a comparison that took longer than a success counts still shows that the failure is the object's own", () => {
  const begun = performance.now();
  vi.advanceTimersByTime(100_000);
  const isOwn = (sentAt: number, kind: "write" | "conversion" = "write") => {
    const compared = { kind, at: begun + 13_000 };
    const trouble = { ...noTrouble(5), attempts: 4, lastAttemptAt: begun, firstFailureAt: begun, compared };
    return isOwnFault(trouble, timeout, noteFailure(trouble, timeout, { sentAt, others: NONE }, createGate()));
  };
  expect(isOwn(begun + 13_001)).toBe(true);
  // Sent before the comparison was over, or so long after it that an outage may have begun.
  expect([isOwn(begun + 12_999), isOwn(begun + 80_000)]).toEqual([false, false]);
  expect(isOwn(begun + 13_001, "conversion")).toBe(false);
});
