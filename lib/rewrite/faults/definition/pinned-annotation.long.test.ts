import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { cancelRewrite } from "#lib/rewrite/commands/cancel-rewrite.ts";
import { faultTest, recordOf } from "#lib/rewrite/testing/bench/fault-test.ts";
import { soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const RENEWED_AFTER_MS = 16_000;
const WATCHED_MS = 20_000;

interface Annotated {
  metadata: { annotations?: Record<string, string> };
}

// Without renewedAt (isKept in update-record.ts) each renewal counts as written, and is due again at once: hundreds of writes a second.
faultTest("where admission puts crdshift's annotation back, renewals are retried at their pace, and the run says why", async (bench) => {
  const { api, connection, proxy, stale, start, run } = bench;
  const definition = await stale(200);
  const { id } = await start(definition, { acceptUnseen: true, maxPerSecond: 2 });
  await expect.poll(async () => (await run(definition, id)).counts.rewritten).toBeGreaterThan(0);
  const annotation = (object: unknown) => (object as Annotated | undefined)?.metadata.annotations?.["crdshift.dev/rewrite"];
  const { clientConfig } = await reviewServer(({ apiVersion, kind, request }, response) => {
    const old = annotation(request.oldObject);
    const isChanged = old !== undefined && annotation(request.object) !== old;
    const steps = isChanged ? [{ op: "add", path: "/metadata/annotations/crdshift.dev~1rewrite", value: old }] : [];
    const patch = Buffer.from(JSON.stringify(steps)).toString("base64");
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, patchType: "JSONPatch", patch } });
  });
  const rules = [
    { apiGroups: ["apiextensions.k8s.io"], apiVersions: ["*"], operations: ["UPDATE"], resources: ["customresourcedefinitions"] },
  ];
  const matchConditions = [{ name: "one", expression: `object.metadata.name == '${definition.name}'` }];
  const webhook = {
    name: `pins.${definition.group}`,
    clientConfig,
    rules,
    matchConditions,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  };
  await api.create(WEBHOOKS, { metadata: { name: definition.name }, webhooks: [webhook] });
  const unpin = () => api.delete(`${WEBHOOKS}/${definition.name}`);
  onTestFinished(async () => void (await unpin().catch(() => {})));

  await sleep(RENEWED_AFTER_MS);
  const before = proxy.seen.filter(recordOf(definition)).length;
  await sleep(WATCHED_MS);
  expect(proxy.seen.filter(recordOf(definition)).length - before).toBeLessThanOrEqual(WATCHED_MS / 1_000);
  const because = async () => (await run(definition, id)).statusReason;
  await expect.poll(because, { timeout: 30_000 }).toMatch(/The rewrite's record can't be renewed: Admission removes or replaces/);
  await unpin();
  await expect.poll(because, { timeout: 30_000 }).toBeNull();
  await cancelRewrite(connection, definition.name, id, soon());
});
