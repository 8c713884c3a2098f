import { expect, test } from "vitest";
import { objectName, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { faultTest } from "#lib/rewrite/testing/bench/fault-test.ts";
import { openTestBench } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { afterFlip, beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/webhooks/deny-updates.ts";
import { type Review, reviewServer, sendJson, updateWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const { api, apply, define, flip, stale, start, run, rewrite, endOf, storedAs } = await openTestBench();
const OBJECTS = 6;
const STUCK = objectName(3);
const ENDS_WITHIN = { timeout: 60_000 };

const namesOf = ({ request }: Review) => [request.object, ...(request.objects ?? [])].map((object) => object?.metadata.name);

async function expectNamedAgain(definition: SampleDefinition): Promise<void> {
  // Only that object is left: no other one's success can show that it fails alone.
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await run(definition, id)).phase, ENDS_WITHIN).toBe("unproven");
  const { counts, rejections } = await run(definition, id);
  expect(counts).toMatchObject({ rejected: 1, alreadyCurrent: OBJECTS - 1 });
  expect(rejections).toEqual([expect.objectContaining({ examples: [{ namespace: "default", name: STUCK }] })]);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
}

// Without failsAlone (object-failures.ts) it probes for ten minutes, then shows "interrupted" without naming an object.
test("an object whose admission webhook answers 500 for ever is named and rejected, also when it is the only one left", async () => {
  const definition = await stale(OBJECTS);
  const { clientConfig } = await reviewServer((review, response) => {
    if (namesOf(review).includes(STUCK)) return void response.writeHead(500).end("out of memory");
    const { apiVersion, kind, request } = review;
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: STUCK })}?dryRun=All`, {}).then(() => "allowed", String);
  await expect.poll(tried, { timeout: 30_000 }).toContain("failed calling webhook");
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({
    phase: "unproven",
    counts: { rewritten: OBJECTS - 1, rejected: 1 },
  });
  await expectNamedAgain(definition);
});

test("an object that can't be converted is named and rejected, also when it is the only one left", async () => {
  const definition = await define(beforeFlip);
  await definition.createObjects("v1beta1", OBJECTS);
  const { clientConfig } = await reviewServer((review, response) => {
    if (namesOf(review).includes(STUCK)) return void response.writeHead(500).end("out of memory");
    const { apiVersion, kind, request } = review;
    const convertedObjects = (request.objects ?? []).map((object) => ({ ...object, apiVersion: request.desiredAPIVersion ?? "" }));
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } });
  });
  await flip(definition, afterFlip, { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1"] } });
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({
    phase: "unproven",
    counts: { rewritten: OBJECTS - 1, rejected: 1 },
  });
  await expectNamedAgain(definition);
});

// With throughGate in place of requestForObject (disown in keep-ownership.ts) the run probes that one object for ten minutes.
test("an object whose webhook fails from the second write on does not hold the run up", async () => {
  const versions = (storage: string): SampleVersion[] => [
    { name: "v1", storage: storage === "v1", properties: { size: { type: "integer" }, mode: { type: "string", default: "fast" } } },
    { name: "v1beta1", storage: storage === "v1beta1", properties: { size: { type: "integer" }, mode: { type: "string" } } },
  ];
  const definition = await define(versions("v1beta1"));
  for (let index = 0; index < OBJECTS; index++) await apply(definition, "v1beta1", objectName(index), "owner", { size: index });
  await flip(definition, versions("v1"));
  let [calls, writes] = [0, 0];
  const { clientConfig } = await reviewServer((review: Review & { request: { dryRun?: boolean } }, response) => {
    const { apiVersion, kind, request } = review;
    calls += 1;
    if (request.object?.metadata.name === STUCK && !request.dryRun) writes += 1;
    if (request.object?.metadata.name === STUCK && writes > 1) return void response.writeHead(500).end("out of memory");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: STUCK })}?dryRun=All`, {}).then(() => calls);
  await expect.poll(tried, { timeout: 30_000 }).toBeGreaterThan(0);
  const { id } = await start(definition, { acceptUnseen: true });
  expect(await endOf(definition, id)).toMatchObject({ phase: "succeeded", counts: { rewritten: OBJECTS } });
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS });
});

/** An admission webhook that answers HTTP 500 for these objects. In force when this returns. */
async function webhookFailingFor(definition: SampleDefinition, isStuck: (name: string) => boolean): Promise<void> {
  const { clientConfig, calls } = await reviewServer((review, response) => {
    const { apiVersion, kind, request } = review;
    if (isStuck(request.object?.metadata.name ?? "")) return void response.writeHead(500).end("out of memory");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: objectName(1) })}?dryRun=All`, {}).then(calls, calls);
  await expect.poll(tried, { timeout: 30_000 }).toBeGreaterThan(0);
}

// Where only the first listed object is tried (fails-alone.ts), which fails too, both probe for ten minutes.
test("two objects that fail for ever are both named, also when they are the only ones left", async () => {
  const definition = await stale(OBJECTS);
  const stuck = [objectName(0), objectName(1)];
  await webhookFailingFor(definition, (name) => stuck.includes(name));
  expect(await rewrite(definition, { acceptUnseen: true })).toMatchObject({ counts: { rewritten: OBJECTS - 2, rejected: 2 } });
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await run(definition, id)).phase, ENDS_WITHIN).toBe("unproven");
  expect((await run(definition, id)).counts).toMatchObject({ rejected: 2, alreadyCurrent: OBJECTS - 2 });
});

// Without a reason for cluster_unreachable (classify-failure.ts) it probes for ten minutes.
faultTest("an object whose connection is reset for ever is named and rejected", async (bench) => {
  const definition = await bench.stale(OBJECTS);
  bench.proxy.inject((request) => request.path.includes(`/${STUCK}`), { kind: "reset", when: "before" });
  const { id } = await bench.start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await bench.run(definition, id)).phase, ENDS_WITHIN).toBe("unproven");
  const { counts, rejections } = await bench.run(definition, id);
  expect(counts).toMatchObject({ rewritten: OBJECTS - 1, rejected: 1 });
  expect(rejections).toEqual([expect.objectContaining({ reason: "Unreachable", examples: [{ namespace: "default", name: STUCK }] })]);
});

// Where a rejection counts as another object's success (requestForObject) most of the others are rejected.
test("objects that a policy denies don't make a webhook's outage the fault of the others", async () => {
  const [objects, outageMs] = [60, 15_000];
  const definition = await stale(objects, { spec: (index) => ({ frozen: index % 3 === 0 }) });
  let isBroken = false;
  await webhookFailingFor(definition, () => isBroken);
  await denyUpdatesOfFrozen(api, definition);
  isBroken = true;
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await run(definition, id)).counts.rejected, ENDS_WITHIN).toBeGreaterThan(0);
  await new Promise((resolve) => setTimeout(resolve, outageMs));
  expect(await run(definition, id)).toMatchObject({ phase: "rewriting", counts: { rewritten: 0 } });
  isBroken = false;
  const { counts, rejections } = await endOf(definition, id);
  expect(counts).toMatchObject({ rewritten: 40, rejected: 20 });
  expect(rejections).toEqual([expect.objectContaining({ count: 20, message: expect.stringContaining("is frozen") })]);
});

// Where an object that is rejected itself counts as one that fails, too (worksFor of works-for.ts), it probes for ten minutes.
test("an object that fails for ever is named after some minutes, also where a policy denies all others", { timeout: 420_000 }, async () => {
  const definition = await stale(OBJECTS, { spec: (index) => ({ frozen: objectName(index) !== STUCK }) });
  const { clientConfig } = await reviewServer((review, response) => {
    const { apiVersion, kind, request } = review;
    if (request.object?.metadata.name === STUCK) return void response.writeHead(500).end("out of memory");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: STUCK })}?dryRun=All`, {}).then(() => "allowed", String);
  await expect.poll(tried, { timeout: 30_000 }).toContain("failed calling webhook");
  await denyUpdatesOfFrozen(api, definition);
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await run(definition, id)).phase, { timeout: 300_000 }).toBe("unproven");
  const { counts, rejections } = await run(definition, id);
  expect(counts).toMatchObject({ rejected: OBJECTS });
  expect(rejections.flatMap(({ examples }) => examples)).toContainEqual({ namespace: "default", name: STUCK });
});
