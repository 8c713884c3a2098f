import { expect } from "vitest";
import type { Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, past, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";

const RETRY_AFTER_S = 2;
/** Those under way at first, and four probes. */
const STORM = 8;
/** Two objects twice each, and two lists. */
const FEW = 6;
/** What was on its way when the answer arrived was sent before. */
const ON_ITS_WAY_MS = 800;
/** crdshift may hear of an answer a moment before the proxy knows that it is sent. */
const HEARD_EARLY_MS = 100;

/** What a run has sent about a definition's objects. */
const sentBy = ({ proxy }: FaultBench, definition: SampleDefinition, id: string) =>
  proxy.seen.filter(({ path, headers }) => path.startsWith(`/apis/${definition.group}/`) && headers["user-agent"]?.includes(id));

const ASKED_MS = RETRY_AFTER_S * 1_000 - HEARD_EARLY_MS;

/** Those of them that were sent before the time was over that an answer had asked for. */
function sentTooEarly(sent: ReturnType<typeof sentBy>): string[] {
  const refusedAt = sent.filter(({ status }) => status === 429).map(({ answeredAt }) => answeredAt ?? 0);
  const early = sent.filter(({ at }) => refusedAt.some((time) => at > time + ON_ITS_WAY_MS && at < time + ASKED_MS));
  return early.map(({ method, path, at }) => `${method} ${path} at ${at}`);
}

/** How often each object was sent. */
function attempts(sent: ReturnType<typeof sentBy>, definition: SampleDefinition): number[] {
  return [...Map.groupBy(sent.filter(patchOf(definition)), ({ path }) => path).values()].map((requests) => requests.length);
}

const tooManyRequests = {
  kind: "answer",
  status: 429,
  headers: { "content-type": "application/json", "retry-after": String(RETRY_AFTER_S) },
  body: JSON.stringify({
    ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 429, reason: "TooManyRequests" },
    message: "too many requests, please try again later",
  }),
} as const;

// Without the turns at probing (outage-gate.ts) one object is sent six times; without Retry-After (object-failures.ts) probes come
// early.
faultTest("a storm of 429: nothing is sent before Retry-After, no object more than three times, and all are rewritten", async (bench) => {
  const { stale, proxy, start, run, endOf, storedAs } = bench;
  const definition = await stale(200);
  proxy.inject(patchOf(definition), tooManyRequests, STORM);
  const { id } = await start(definition, { acceptUnseen: true });
  await expect
    .poll(async () => (await run(definition, id)).statusReason, { timeout: 20_000, interval: 20 })
    .toContain("asked crdshift to slow down");
  const end = await endOf(definition, id);
  expect(end).toMatchObject({ phase: "succeeded", counts: { total: 200, rewritten: 200, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 200 });

  const sent = sentBy(bench, definition, id);
  expect(sent.filter(({ status }) => status === 429)).toHaveLength(STORM);
  expect(sentTooEarly(sent)).toEqual([]);
  expect(Math.max(...attempts(sent, definition))).toBeGreaterThan(1);
  expect(Math.max(...attempts(sent, definition))).toBeLessThanOrEqual(3);
});

// Where a success opens the gate at once (open of outage-gate.ts) the others are sent before the time is over.
faultTest("a success of an earlier request does not shorten the time that a 429 asked for", async (bench) => {
  const { stale, proxy, start, run, endOf } = bench;
  const definition = await stale(60);
  const inTime = patchOf(definition, objectName(0));
  const held = proxy.hold(inTime, "after");
  const others: Match = (request) => patchOf(definition)(request) && !inTime(request);
  proxy.inject(others, tooManyRequests, 3);
  const next = proxy.hold(past(3, others), "before", Number.POSITIVE_INFINITY);
  const { id } = await start(definition, { acceptUnseen: true });
  await held.reached;
  const because = async () => (await run(definition, id)).statusReason;
  await expect.poll(because, { timeout: 20_000, interval: 20 }).toContain("asked crdshift to slow down");
  held.release();
  await expect.poll(async () => (await run(definition, id)).counts.rewritten, { interval: 20 }).toBe(1);
  expect(await because()).toContain("asked crdshift to slow down");
  next.release();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 60, rewritten: 60, rejected: 0 } });
  const sent = sentBy(bench, definition, id);
  expect(sent.filter(({ status }) => status === 429)).toHaveLength(3);
  expect(sentTooEarly(sent)).toEqual([]);
});

// Where objects probe however often they were refused (MAX_SLOWED_DOWN of request-for-object.ts) each is sent four times.
faultTest("few objects in a long 429 storm: once each has got two 429s, a list of one object probes for them", async (bench) => {
  const { stale, proxy, start, endOf } = bench;
  const definition = await stale(2);
  // From the first patch on, all that the run sends about objects; the totals are asked for by others.
  let agent: string | undefined;
  const byTheRun: Match = (request) => {
    if (patchOf(definition)(request)) agent ??= request.headers["user-agent"];
    return agent !== undefined && request.headers["user-agent"] === agent && request.path.startsWith(`/apis/${definition.group}/`);
  };
  const storm = proxy.inject(byTheRun, tooManyRequests, FEW);
  const { id } = await start(definition, { acceptUnseen: true });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: 2, rewritten: 2, rejected: 0 } });
  expect(storm.hits()).toBe(FEW);
  const sent = sentBy(bench, definition, id);
  expect(sentTooEarly(sent)).toEqual([]);
  // The verification finds nothing to send: the last one is the one that went through.
  expect(attempts(sent, definition)).toEqual([3, 3]);
  expect(sent.filter(({ path, status }) => path.endsWith("?limit=1") && status === 429)).toHaveLength(FEW - 4);
});
