import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { statusError } from "#lib/cluster/transport/errors.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { requestForObject } from "./request-for-object.ts";

/** The objects of which a write was tried by a dry run, which works for each. */
const tried = vi.hoisted(() => ({ names: [] as string[] }));

vi.mock("#lib/cluster/objects/custom-objects.ts", () => ({
  dryRunRewrite: async (...[, , , object]: [Connection, object, string, ObjectName]) => void tried.names.push(object.name),
}));
vi.mock("#lib/cluster/objects/object-pages.ts", () => ({
  listObjects: async () => ({ objects: [{ namespace: "default", name: "good" }], next: null }),
}));
// The timers of node:timers/promises can't be faked.
vi.mock("node:timers/promises", () => import("#lib/async/testing/global-timers.ts"));

beforeEach(() => {
  tried.names = [];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
});
afterEach(() => void vi.useRealTimers());

/** When the object is rejected, in ms, while dry runs of others work and nothing is stored. */
async function rejectedAfter(failing: "look" | "request"): Promise<number> {
  const [gate, pacer, stop] = [createGate(), createPacer(null), new AbortController()];
  const connection = {} as Partial<Connection> as Connection;
  const context = { connection, crd: sampleCrd(), gate, pacer, signal: stop.signal };
  const fails = (what: typeof failing) => async () => {
    if (what === failing) throw statusError(500, {}, "the webhook is confused", { path: "/apis" });
    return null;
  };
  const startedAt = performance.now();
  const ended = requestForObject(context, { namespace: "default", name: "stuck" }, fails("request"), {
    effect: { stored: () => true },
    look: fails("look"),
  });
  let endedAt: number | null = null;
  void ended.then(() => {
    endedAt = performance.now() - startedAt;
  });
  while (endedAt === null && performance.now() - startedAt < 300_000) {
    gate.tried(performance.now());
    await vi.advanceTimersByTimeAsync(100);
  }
  stop.abort();
  expect(await ended).toMatchObject({ kind: "rejected", message: "the webhook is confused" });
  return endedAt ?? Number.POSITIVE_INFINITY;
}

// With whatFailsOf for each failure, its own dry run says that only storing it fails, and it takes two minutes to be rejected.
test("a check that fails before a write is no failure to store it", async () => {
  expect(await rejectedAfter("look")).toBeLessThan(30_000);
  expect(tried.names).not.toContain("stuck");
});

test("a write that fails although its dry run works is a failure to store it, and takes long to be the object's own", async () => {
  expect(await rejectedAfter("request")).toBeGreaterThan(100_000);
  expect(tried.names).toContain("stuck");
});
