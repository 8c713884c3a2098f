import { expect } from "vitest";
import type { Fault, Match } from "#lib/cluster/testing/fault-proxy.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { type FaultBench, faultTest, listOf, patchOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { breakableConversion } from "#lib/rewrite/testing/webhooks/breakable-conversion.ts";

const OBJECTS = 12;
/** The attempts before a failure may count as the object's own (object-failures.ts). */
const MAX_ATTEMPTS = 5;

/** For each object whose patch failed, how often it did. */
function failuresOf({ proxy }: FaultBench, definition: SampleDefinition): number[] {
  const failed = proxy.seen.filter((request) => patchOf(definition)(request) && (request.status ?? 0) >= 429);
  return [...Map.groupBy(failed, ({ path }) => path).values()].map((requests) => requests.length);
}

/** A definition that was flipped while its webhook was broken: the API server has converted no object yet. */
async function flippedWhileBroken({ define, flip }: FaultBench) {
  const webhook = await breakableConversion();
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  webhook.break({ kind: "HTTP 500" });
  await flip(definition, afterFlip, webhook.conversion);
  return { webhook, definition };
}

// Without the 429 in isConversionFailure the page blames the API server's throttling.
faultTest(
  "a list's 429 from a broken conversion webhook is reported as that, not as throttling; once healed, the run continues",
  async (bench) => {
    const { api, proxy, start, run, endOf, storedAs } = bench;
    const { webhook, definition } = await flippedWhileBroken(bench);
    // It answers so without a limit; API servers before 1.31 do with one, too.
    const list = () => api.list(definition.path("v1")).then(() => "listed", String);
    await expect.poll(list, { timeout: 30_000 }).toMatch(/429 storage is \(re\)initializing: .*conversion webhook for .* failed: /);
    const message = (await list()).slice((await list()).indexOf("storage is"));
    const lists = proxy.inject(listOf(definition), statusAnswer(429, "TooManyRequests", message));

    const { id } = await start(definition, { acceptUnseen: true });
    const because = async () => (await run(definition, id)).statusReason ?? "";
    await expect.poll(because, { timeout: 30_000 }).toContain("conversion webhook for");
    expect(await because()).not.toContain("slow down");
    expect(await run(definition, id)).toMatchObject({ phase: "rewriting", counts: { rewritten: 0, rejected: 0 } });
    expect(lists.hits()).toBeGreaterThan(0);
    lists.stop();
    await webhook.heal();
    expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { total: OBJECTS, rewritten: OBJECTS, rejected: 0 } });
    expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
  },
);

// With the time of the answer in place of the request's (gate.succeeded, request-for-object.ts) objects are rejected.
faultTest("a success sent before an admission webhook broke does not make the failures of others their own", async (bench) => {
  const { proxy, stale, start, run, endOf } = bench;
  const definition = await stale(OBJECTS);
  const inTime = patchOf(definition, objectName(0));
  const held = proxy.hold(inTime, "after");
  const others: Match = (request) =>
    request.method === "PATCH" && request.path.startsWith(`/apis/${definition.group}/`) && !inTime(request);
  const message = 'Internal error occurred: failed calling webhook "w.example.com": Post "https://10.0.0.1": connect: connection refused';
  const away = proxy.inject(others, statusAnswer(500, "InternalError", message));
  const { id } = await start(definition, { acceptUnseen: true });
  await held.reached;
  await expect.poll(away.hits).toBeGreaterThan(0);
  held.release();
  await expect.poll(async () => (await run(definition, id)).statusReason, { timeout: 30_000 }).toBe(message);
  expect(await run(definition, id)).toMatchObject({ phase: "rewriting", counts: { rewritten: 1, rejected: 0 } });
  away.stop();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 } });
});

// From 1.37 on an API server may answer a patch from its watch cache, where the object is converted already. Where that counts
// (isOwnFault of object-failures.ts) the others are rejected.
faultTest("a patch that succeeds while the webhook is down does not make the failures of others their own", async (bench) => {
  const { proxy, stale, start, run, endOf } = bench;
  const definition = await stale(OBJECTS);
  const cached = patchOf(definition, objectName(0));
  const fails: Match = (request) => patchOf(definition)(request) || (request.method === "GET" && request.path.includes("/widgets/"));
  const message = `conversion webhook for ${definition.group}/v1beta1, Kind=Widget failed: Post "https://10.0.0.1": connect: connection refused`;
  let isCached = false;
  const away = proxy.inject((request) => fails(request) && !(isCached && cached(request)), statusAnswer(500, "InternalError", message));
  const { id } = await start(definition, { acceptUnseen: true });
  // It is sent again after the others' first failure.
  await expect.poll(() => failuresOf(bench, definition).length, { timeout: 30_000, interval: 10 }).toBe(OBJECTS);
  isCached = true;
  const tried = async () => Math.max(...failuresOf(bench, definition), (await run(definition, id)).counts.rejected && MAX_ATTEMPTS + 1);
  await expect.poll(tried, { timeout: 90_000 }).toBeGreaterThan(MAX_ATTEMPTS);
  expect(await run(definition, id)).toMatchObject({ phase: "rewriting", counts: { rewritten: 1, rejected: 0 } });
  await expect.poll(async () => (await run(definition, id)).statusReason, { timeout: 30_000 }).toBe(message);
  away.stop();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 } });
});

// Where any success counts (isOwnFault of object-failures.ts) objects are rejected.
faultTest("objects that need no conversion do not make the failures of those that do their own", async (bench) => {
  const { api, start, run, endOf, storedAs } = bench;
  const { webhook, definition } = await flippedWhileBroken(bench);
  for (let index = 0; index < OBJECTS; index++) {
    await api.create(definition.path("v1", { name: "" }), {
      ...{ apiVersion: `${definition.group}/v1`, kind: "Widget", metadata: { name: `${objectName(index)}-new` }, spec: {} },
    });
  }
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(() => Math.max(...failuresOf(bench, definition)), { timeout: 90_000 }).toBeGreaterThan(MAX_ATTEMPTS);
  expect(await run(definition, id)).toMatchObject({ phase: "rewriting", counts: { rejected: 0 } });
  await webhook.heal();
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 2 * OBJECTS });
});

// What 1.36.3 does: restoreObjectMeta of apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go. Without checkLosses
// (run-rewrite.ts) the changed label is stored unannounced.
faultTest("a webhook's changes to labels and annotations are stored; those to other metadata are not", async (bench) => {
  const { cluster, api, define, flip, rewrite, storedAs } = bench;
  const webhook = await breakableConversion();
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", 1);
  const name = objectName(0);
  await api.mergePatch(definition.path("v1beta1", { name }), { metadata: { labels: { kept: "yes" }, annotations: { note: "old" } } });
  const stored = async () => (await definition.storedValues(cluster.etcd)).get(name)?.metadata;
  const before = await stored();
  const wrong = { finalizers: ["example.com/x"], generation: 77, creationTimestamp: "2001-01-01T00:00:00Z", resourceVersion: "1" };
  const theirs = { labels: { converted: "yes" }, annotations: { note: "new" } };
  webhook.break({ kind: "changes", change: (object) => ({ ...object, metadata: { ...object.metadata, ...wrong, ...theirs } }) });
  await flip(definition, afterFlip, webhook.conversion);
  expect(await rewrite(definition)).toMatchObject({ phase: "unproven", heldBackBecause: expect.stringContaining("metadata.labels") });
  expect(await stored()).toEqual(before);
  expect(await rewrite(definition, { acceptLosses: true })).toMatchObject({ phase: "succeeded", counts: { rewritten: 1, rejected: 0 } });
  expect(await storedAs(definition)).toEqual({ v1: 1 });
  const managedFields = expect.anything();
  expect(await stored()).toEqual({ ...before, ...theirs, managedFields });
});

function statusAnswer(status: number, reason: string, message: string): Fault {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code: status });
  return { kind: "answer", status, headers: { "content-type": "application/json" }, body };
}
