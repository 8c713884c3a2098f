import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#lib/contract/app-error.ts";
import { requireReady } from "./readiness.ts";

const asked = vi.hoisted(() => ({ count: 0, failure: null as Error | null }));

vi.mock("#lib/sign-in/sign-in.ts", () => ({
  askDefaultCluster: async () => {
    asked.count += 1;
    if (asked.failure) throw asked.failure;
  },
}));

const log = vi.spyOn(console, "error").mockImplementation(() => {});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const failing = () => expect(requireReady()).rejects.toMatchObject({ code: "cluster_unreachable", nextStep: expect.any(String) });

test("whoever asks within a second shares one answer of the cluster", async () => {
  await Promise.all(Array.from({ length: 100 }, () => requireReady()));
  expect(asked.count).toBe(1);
  vi.advanceTimersByTime(999);
  await requireReady();
  expect(asked.count).toBe(1);
  vi.advanceTimersByTime(2);
  await requireReady();
  expect(asked.count).toBe(2);
});

// With its age alone (isFresh), the last answer stays for as long as the clock was set back.
test("a clock that is set back keeps no old answer", async () => {
  vi.advanceTimersByTime(2_000);
  asked.failure = new AppError("cluster_unreachable", "Away.");
  await failing();
  asked.failure = null;
  vi.setSystemTime(Date.now() - 3_600_000);
  await requireReady();
});

test("a failure is logged once, until it is another one or over", async () => {
  vi.advanceTimersByTime(2_000);
  const fail = async (message: string | null) => {
    vi.advanceTimersByTime(2_000);
    asked.failure = message === null ? null : new AppError("cluster_unreachable", "Away.", { clusterMessage: message });
    if (message === null) await requireReady();
    else await failing();
  };
  for (const message of ["refused", "refused", "refused", "reset", null, "reset"]) await fail(message);
  expect(log.mock.calls.map(([line]) => JSON.parse(String(line)).detail)).toEqual([
    expect.stringContaining("refused"),
    expect.stringContaining("reset"),
    expect.stringContaining("reset"),
  ]);
});
