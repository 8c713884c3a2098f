import { expect, test } from "vitest";
import { objectName } from "#lib/local-cluster/sample-definition.ts";
import { denyUpdatesOfFrozen } from "#lib/rewrite/testing/deny-updates.ts";
import { testCluster } from "#lib/rewrite/testing/test-cluster.ts";
import { reviewServer, sendJson, updateWebhook } from "#lib/rewrite/testing/webhook-server.ts";

const { api, stale, start, run } = await testCluster();
const OBJECTS = 3;
const STUCK = objectName(1);

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
  const { id } = await start(definition, { acceptLosses: true });
  await expect.poll(async () => (await run(definition, id)).phase, { timeout: 300_000 }).toBe("unproven");
  const { counts, rejections } = await run(definition, id);
  expect(counts).toMatchObject({ rejected: OBJECTS });
  expect(rejections.flatMap(({ examples }) => examples)).toContainEqual({ namespace: "default", name: STUCK });
});
