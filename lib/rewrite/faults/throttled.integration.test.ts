import { expect } from "vitest";
import { faultTest, patchOf } from "#lib/rewrite/testing/fault-test.ts";

const RETRY_AFTER_S = 2;
/** Those under way at first, and four probes. */
const STORM = 8;
/** What was on its way when the answer arrived was sent before. */
const ON_ITS_WAY_MS = 50;

const tooManyRequests = {
  kind: "answer",
  status: 429,
  headers: { "content-type": "application/json", "retry-after": String(RETRY_AFTER_S) },
  body: JSON.stringify({
    ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code: 429, reason: "TooManyRequests" },
    message: "too many requests, please try again later",
  }),
} as const;

// Without the turns at probing (gate.ts) one object is sent six times; without Retry-After (request-for-object.ts) probes come early.
faultTest("a storm of 429: nothing is sent before Retry-After, no object more than three times, and all are rewritten", async (bench) => {
  const { stale, proxy, start, run, endOf, storedAs } = bench;
  const definition = await stale(200);
  proxy.inject(patchOf(definition), tooManyRequests, STORM);
  const { id } = await start(definition, { acceptLosses: true });
  await expect
    .poll(async () => (await run(definition, id)).pausedBecause, { timeout: 20_000, interval: 20 })
    .toContain("asks to slow down");
  const end = await endOf(definition, id);
  expect(end).toMatchObject({ phase: "succeeded", counts: { total: 200, rewritten: 200, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 200 });

  const sent = proxy.seen.filter(
    ({ path, headers }) => path.startsWith(`/apis/${definition.group}/`) && headers["user-agent"]?.includes(id),
  );
  const refusedAt = sent.filter(({ status }) => status === 429).map(({ answeredAt }) => answeredAt ?? 0);
  expect(refusedAt).toHaveLength(STORM);
  const tooEarly = sent.filter(({ at }) => refusedAt.some((time) => at > time + ON_ITS_WAY_MS && at < time + RETRY_AFTER_S * 1_000));
  expect(tooEarly.map(({ method, path, at }) => `${method} ${path} at ${at}`)).toEqual([]);
  const patches = Map.groupBy(sent.filter(patchOf(definition)), ({ path }) => path);
  const attempts = [...patches.values()].map((requests) => requests.length);
  expect(Math.max(...attempts)).toBeGreaterThan(1);
  expect(Math.max(...attempts)).toBeLessThanOrEqual(3);
});
