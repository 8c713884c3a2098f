import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { ObjectRequest } from "#lib/cluster/objects/object-patches.ts";
import { statusError } from "#lib/cluster/transport/errors.ts";
import type { ObjectName } from "#lib/domain/rewrite/run.ts";
import { sampleCrd } from "#lib/domain/testing/sample-crd.ts";
import { createGate, type Failing } from "#lib/rewrite/pacing/outage-gate.ts";
import { createPacer } from "#lib/rewrite/pacing/pacer.ts";
import { type ComparedSoFar, failsAlone } from "./fails-alone.ts";
import { noFailures, type ObjectFailures, type RetryableFailure, worksForAnother } from "./object-failures.ts";

/** The API server. It answers with the error that `fails` gives, if any. */
const server = vi.hoisted(() => ({
  sent: [] as { at: number; what: string }[],
  pages: [] as string[][],
  fails: (_what: string): Error | null => null,
}));
const answer = vi.hoisted(() => async <Value>(what: string, value: Value) => {
  server.sent.push({ at: performance.now(), what });
  const error = server.fails(what);
  if (error) throw error;
  return value;
});

vi.mock("#lib/cluster/objects/custom-objects.ts", () => ({
  dryRunRewrite: (...[, , , object, { onPatch }]: [Connection, object, string, ObjectName, ObjectRequest]) => {
    onPatch?.("dryRun");
    return answer(object.name, {});
  },
  readObjectMetadata: (...[, , version, object]: [Connection, object, string, ObjectName]) => answer(`${object.name} ${version}`, {}),
}));
vi.mock("#lib/cluster/objects/object-pages.ts", () => ({
  listObjects: (_: Connection, __: object, { next }: { next: string | null }) => {
    const page = Number(next ?? 0);
    const objects = (server.pages[page] ?? []).map((name) => ({ namespace: "default", name }));
    return answer(`list ${page}`, { objects, next: page + 1 < server.pages.length ? String(page + 1) : null });
  },
}));
// The timers of node:timers/promises can't be faked.
vi.mock("#lib/async/sleep.ts", () => ({
  jitteredBackoffMs: () => 1_000,
  sleep: (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms)),
}));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  Object.assign(server, { sent: [], pages: [["stuck", "good"]], fails: () => null });
});
afterEach(() => void vi.useRealTimers());

const STUCK = { namespace: "default", name: "stuck" };
const unavailable = (headers: Record<string, string> = {}) => statusError(503, headers, "away", { path: "/apis" });
const denied = () => statusError(403, {}, "denied", { path: "/apis" });

function bench(maxPerSecond: number | null = null) {
  const pacer = createPacer(maxPerSecond);
  const gate = createGate(pacer.pausedMs);
  const onPatch = vi.fn();
  const connection = {} as Partial<Connection> as Connection;
  const context = { connection, crd: sampleCrd(), gate, pacer, onPatch, signal: new AbortController().signal };
  const compared: ComparedSoFar = { worked: null, next: null };
  const startedAt = performance.now();
  const compare = (kind: Failing = "write", since = startedAt, failing = [STUCK]) =>
    failsAlone(context, STUCK, { kind, since, compared, failing: new Set(failing) });
  return { pacer, gate, onPatch, compared, compare, context };
}

const sentNames = () => server.sent.map(({ what }) => what);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1_000);

describe("a comparison with another object", () => {
  test("shows when the other one was sent, and counts it among the patches", async () => {
    const { compare, onPatch } = bench();
    const compared = compare();
    await seconds(0);
    expect(await compared).toBe(server.sent[1]?.at);
    expect(sentNames()).toEqual(["list 0", "good"]);
    expect(onPatch.mock.calls).toEqual([["dryRun"]]);
  });

  test("of conversion reads the other one at every served version", async () => {
    const { compare } = bench();
    const compared = compare("conversion");
    await seconds(0);
    expect(await compared).toBe(server.sent[1]?.at);
    expect(sentNames()).toEqual(["list 0", "good v1", "good v1beta1"]);
  });

  // Without the pacer in sendAside (send-aside.ts) it is sent during the pause.
  test("sends nothing during a pause, not even what is left of it", async () => {
    const { compare, pacer } = bench();
    pacer.pause();
    const compared = compare();
    await seconds(3_600);
    expect(sentNames()).toEqual([]);
    server.fails = (what) => {
      if (what === "list 0") pacer.pause();
      return null;
    };
    pacer.resume();
    await seconds(3_600);
    expect(sentNames()).toEqual(["list 0"]);
    pacer.resume();
    await seconds(0);
    expect(await compared).not.toBeNull();
    expect(pacer.underWay()).toBe(0);
  });

  // Without releasedAt (fails-alone.ts) two objects that are too large for etcd hold every run up for ten minutes, and none is named.
  test("of storing takes the run's record for another object, if it was stored within the last minute", async () => {
    const { compare, gate } = bench();
    const both = () => compare("storing", 0, [STUCK, { namespace: "default", name: "too" }]);
    await seconds(180);
    expect(await both()).toBeNull();
    gate.record.release(Date.now() + 300_000);
    await seconds(59);
    expect(await both()).not.toBeNull();
    await seconds(2);
    expect(await both()).toBeNull();
    expect(sentNames()).toEqual(["list 0", "list 0", "list 0"]);
  });

  test("keeps to the rate", async () => {
    const { compare } = bench(1);
    const compared = compare("conversion");
    await seconds(10);
    expect(await compared).not.toBeNull();
    const gaps = server.sent.slice(1).map(({ at }, index) => at - (server.sent[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(900);
  });

  // Without askedToWaitMs in sendAside (send-aside.ts) it is sent at once.
  test("sends nothing before the time that the server asked for, also if that is set while a pause holds it up", async () => {
    const { compare, gate, pacer } = bench();
    gate.close("slow down", 20_000);
    const compared = compare();
    await seconds(15);
    pacer.pause();
    await seconds(10);
    gate.close("slow down", 20_000);
    pacer.resume();
    await seconds(19);
    expect(sentNames()).toEqual([]);
    await seconds(1);
    expect(sentNames()).toEqual(["list 0", "good"]);
    expect(await compared).not.toBeNull();
  });

  // Without noteAskedWait (send-aside.ts) the next request is sent at once, and so is any other.
  test("lets all requests wait for the time that its own answers ask for", async () => {
    const { compare, gate } = bench();
    server.pages = [["stuck", "one", "two"]];
    server.fails = (what) => (server.sent.length === 2 && what !== "list 0" ? unavailable({ "retry-after": "30" }) : null);
    const compared = compare();
    await seconds(29);
    expect(server.sent).toHaveLength(2);
    expect(gate.cause()).toContain("can't respond right now");
    await seconds(1);
    expect(server.sent).toHaveLength(3);
    expect(await compared).not.toBeNull();
  });

  test("does not wait for its turn at probing", async () => {
    const { compare, gate } = bench();
    gate.close("away", null);
    void gate.enter(new AbortController().signal);
    const compared = compare();
    await seconds(0);
    expect(await compared).not.toBeNull();
  });

  test("sends nothing while this process may have lost the run", async () => {
    const { compare, gate } = bench();
    gate.record.hold("the record can't be renewed");
    const compared = compare();
    await seconds(0);
    expect([await compared, sentNames()]).toEqual([null, []]);
  });
});

describe("objects beyond the first page", () => {
  // Where only the first page is read (othersToTry) nothing shows that it fails alone.
  test("are tried, a page further on each time, where those of the first are of no use", async () => {
    const { compare } = bench();
    const useless = ["a", "b", "c", "d"];
    server.pages = [["stuck", ...useless], ["e"], ["f"], ["good"]];
    server.fails = (what) => (/^[a-f]$/.test(what) ? unavailable() : null);
    for (const last of ["e", "f"]) {
      const compared = compare();
      await seconds(0);
      expect(await compared).toBeNull();
      expect(sentNames().at(-1)).toBe(last);
    }
    const compared = compare();
    await seconds(0);
    expect(await compared).not.toBeNull();
    server.sent = [];
    const again = compare();
    await seconds(0);
    expect(await again).not.toBeNull();
    expect(sentNames()).toEqual(["good"]);
  });

  test("begin again with the second page after the last, and once the token has expired", async () => {
    const { compare, compared } = bench();
    server.pages = [["stuck", "a"], ["b"], ["c"]];
    server.fails = (what) => (/^[a-c]$/.test(what) ? unavailable() : null);
    const pages: string[][] = [];
    const look = async () => {
      server.sent = [];
      const looked = compare();
      await seconds(0);
      await looked;
      pages.push(sentNames().filter((what) => what.startsWith("list")));
    };
    for (let index = 0; index < 3; index += 1) await look();
    expect(pages).toEqual([
      ["list 0", "list 1"],
      ["list 0", "list 2"],
      ["list 0", "list 1"],
    ]);
    expect(compared.next).toBe("2");
    const { fails } = server;
    server.fails = (what) => (what === "list 2" ? statusError(410, {}, "expired", { path: "/apis" }) : fails(what));
    await look();
    expect(compared.next).toBeNull();
  });
});

describe("where no other object can show it", () => {
  const isAtFaultAfter = async (minutes: number) => {
    const { compare } = bench();
    const since = performance.now();
    await seconds(minutes * 60);
    const compared = compare("write", since);
    await seconds(0);
    return (await compared) !== null;
  };

  test("an object that has failed for two minutes is at fault", async () => {
    server.fails = (what) => (what === "good" ? denied() : null);
    expect([await isAtFaultAfter(1), await isAtFaultAfter(3)]).toEqual([false, true]);
  });

  test("but not if another one fails, too, on a later page either", async () => {
    server.pages = [["stuck", "denied"], ["other"]];
    server.fails = (what) => ({ denied: denied(), other: unavailable() })[what] ?? null;
    expect(await isAtFaultAfter(3)).toBe(false);
  });

  // Where the time of a pause counts (begunAt of failsAlone) it is.
  test("an object that failed before a pause only is not", async () => {
    const { compare, pacer } = bench();
    server.fails = (what) => (what === "good" ? denied() : null);
    pacer.pause();
    const compared = compare();
    await seconds(600);
    pacer.resume();
    await seconds(0);
    expect(await compared).toBeNull();
  });
});

describe("an object that has failed for twenty seconds", () => {
  const failure: RetryableFailure = { kind: "retryable", isWait: true, reason: "HTTP 503", message: "away", afterMs: 30_000, answer: null };
  /** Compares it with another one, long after anything worked. */
  const begin = async ({ context }: ReturnType<typeof bench>, what = failure) => {
    const since = performance.now() - 20_000;
    const failures: ObjectFailures = { ...noFailures(5), count: 6, attempts: 1, lastAttemptAt: performance.now(), firstFailureAt: since };
    const works = worksForAnother(context, STUCK, failures, { failure: what, since, failing: new Set([STUCK]) });
    return { failures, works: async () => works };
  };

  // Where its own answer's time counts only once it is compared (worksForAnother) the other one is sent at once.
  test.each([true, false])("is compared only after the time that its answer asked for (isWait: %s)", async (isWait) => {
    const given = bench();
    const { gate } = given;
    await seconds(60);
    const { failures, works } = await begin(given, { ...failure, isWait });
    await seconds(29);
    expect(sentNames()).toEqual([]);
    // Others, too, wait if no request can succeed.
    expect(gate.cause()).toBe(isWait ? "away" : null);
    await seconds(3);
    expect(await works()).toBe(true);
    expect(gate.lastWorkedAt("write")).toBe(server.sent[1]?.at);
    expect(gate.cause()).toBeNull();
    expect(failures.compared?.kind).toBe("write");
  });

  // Without isUnderWay (worksForAnother) each of them sends its own.
  test("is not compared while another comparison waits, nor within ten seconds after one in vain", async () => {
    const given = bench();
    server.fails = (what) => (what === "good" ? unavailable() : null);
    given.pacer.pause();
    await seconds(60);
    const first = await begin(given, { ...failure, afterMs: null });
    await seconds(3_600);
    expect(await (await begin(given)).works()).toBe(false);
    given.pacer.resume();
    await seconds(0);
    expect(await first.works()).toBe(false);
    expect(await (await begin(given)).works()).toBe(false);
    expect(sentNames()).toEqual(["list 0", "good"]);
    server.fails = () => null;
    await seconds(11);
    const later = await begin(given, { ...failure, afterMs: null });
    await seconds(60);
    expect(await later.works()).toBe(true);
  });
});
