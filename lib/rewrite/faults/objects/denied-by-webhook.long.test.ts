import { describe, expect, test } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { benchOn, openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { type Review, reviewServer, sendJson, updateWebhook } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const bench = await openTestBench();
const { api, cluster, stale, start, run, storedAs } = bench;
const OBJECTS = 6;
const DENIED = objectName(3);

/** A validating webhook that denies updates of one object with this Status, as a webhook passes on what its own lookup answered. */
async function denyWith(definition: SampleDefinition, status: object): Promise<void> {
  const { clientConfig } = await reviewServer((review: Review, response) => {
    const { apiVersion, kind, request } = review;
    const isDenied = request.object?.metadata.name === DENIED;
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: !isDenied, ...(isDenied && { status }) } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: DENIED })}?dryRun=All`, {}).then(() => "allowed", String);
  await expect.poll(tried, { timeout: 30_000 }).toContain("denied the request");
}

async function expectRejected(definition: SampleDefinition, { start, run } = bench): Promise<void> {
  const { id } = await start(definition, { acceptUnseen: true });
  await expect.poll(async () => (await run(definition, id)).phase, { timeout: 60_000 }).toBe("unproven");
  const { counts, rejections } = await run(definition, id);
  expect(counts).toMatchObject({ rewritten: OBJECTS - 1, gone: 0, rejected: 1 });
  expect(rejections).toEqual([expect.objectContaining({ examples: [{ namespace: "default", name: DENIED }] })]);
  expect(await storedAs(definition)).toEqual({ v1: OBJECTS - 1, v1beta1: 1 });
}

describe("a webhook's denial rejects the object, whatever its status says", () => {
  // Without isAdmissionDenial the object counts as gone, the run as proven, and the prune answers 200.
  test("404, naming a Secret that is called like the object", async () => {
    const definition = await stale(OBJECTS);
    const details = { name: DENIED, kind: "secrets" };
    await denyWith(definition, { code: 404, reason: "NotFound", message: `secrets "${DENIED}" not found`, details });
    await expectRejected(definition);
  });

  // Without it these stop the run, or pause it for a sign-in, or slow it down for ever.
  test.each([
    [404, "NotFound"],
    [401, "Unauthorized"],
    [429, "TooManyRequests"],
    [503, "ServiceUnavailable"],
    [410, "Expired"],
  ])("%i %s", async (code, reason) => {
    const definition = await stale(OBJECTS);
    await denyWith(definition, { code, reason, message: "no" });
    await expectRejected(definition);
  });

  // With Retry-After as the webhook wants it (classify-failure.ts) the run sleeps for a day.
  test("429, asking to wait for a day", async () => {
    const definition = await stale(OBJECTS);
    await denyWith(definition, { code: 429, message: "not today", details: { retryAfterSeconds: 100_000 } });
    await expectRejected(definition);
  });

  // With tokenRefused for every 401 (request.ts) the run is interrupted, and its person is signed out.
  test("401, to someone who signed in with a token", async () => {
    const definition = await stale(OBJECTS);
    await denyWith(definition, { code: 401, reason: "Unauthorized", message: "the vault says no" });
    const own = await connect(cluster.context, { kind: "bearer", token: cluster.token });
    await expectRejected(definition, benchOn(cluster, api, own));
  });
});

// Without the denial in conversionFailureIn (conversion-failure.ts) the definition shows as blocked by its conversion.
test("a webhook's denial that speaks of conversion is no failed conversion", async () => {
  const definition = await stale(1);
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request }, response) => {
    const status = { code: 500, message: "currency conversion for EUR is unavailable" };
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: false, status } });
  });
  await updateWebhook(api, definition, clientConfig);
  const tried = () => api.mergePatch(`${definition.path("v1", { name: objectName(0) })}?dryRun=All`, {}).then(() => "allowed", String);
  await expect.poll(tried, { timeout: 30_000 }).toContain("denied the request");
  const { id } = await start(definition, { acceptUnseen: true });
  const because = async () => (await run(definition, id)).statusReason;
  await expect.poll(because, { timeout: 30_000, interval: 50 }).toContain("currency conversion for EUR");
  expect(conversionFailureIn(await because())).toBeNull();
  await cancelRewrite(bench.connection, definition.name, id, soon());
});
