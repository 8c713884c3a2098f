import fc from "fast-check";
import { expect, test } from "vitest";
import { jitteredBackoffMs, sleep } from "./sleep.ts";

test("an aborted sleep ends at once with the signal's reason", async () => {
  const stop = new AbortController();
  const sleeping = sleep(60_000, stop.signal);
  stop.abort(new Error("cancelled"));
  await expect(sleeping).rejects.toThrow("cancelled");
});

test("a sleep whose signal is already aborted never starts", async () => {
  await expect(sleep(60_000, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
});

test("a backoff lies between a tenth and all of the exponential wait, and never exceeds its maximum", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2_000 }), (attempt) => {
      const full = Math.min(30_000, 500 * 2 ** attempt);
      const ms = jitteredBackoffMs(attempt, { firstMs: 500, maxMs: 30_000 });
      expect(ms).toBeGreaterThanOrEqual(full / 10);
      expect(ms).toBeLessThanOrEqual(full);
    }),
  );
});
