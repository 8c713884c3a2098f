import { expect, onTestFinished, test } from "vitest";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { runsHere } from "#lib/rewrite/run/running.ts";
import { openTestBench, soon } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { reviewServer, sendJson } from "#lib/rewrite/testing/webhooks/webhook-server.ts";

const { api, connection, stale, start, rewrite, storedAs } = await openTestBench();
const OBJECTS = 3;
const WEBHOOKS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** From now on until it is told to stop, a mutating webhook removes crdshift's annotation from each write of the definition. */
async function stripped({ name, group, read }: SampleDefinition) {
  const { clientConfig, calls } = await reviewServer(({ apiVersion, kind, request }, response) => {
    const isRecorded = JSON.stringify(request.object?.metadata).includes('"crdshift.dev/rewrite"');
    const steps = isRecorded ? [{ op: "remove", path: "/metadata/annotations/crdshift.dev~1rewrite" }] : [];
    const patch = { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(steps)).toString("base64") };
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, ...(steps.length > 0 && patch) } });
  });
  const rules = [
    { apiGroups: ["apiextensions.k8s.io"], apiVersions: ["*"], operations: ["UPDATE"], resources: ["customresourcedefinitions"] },
  ];
  const matchConditions = [{ name: "one", expression: `object.metadata.name == '${name}'` }];
  const webhook = { name: `strips.${group}`, clientConfig, rules, matchConditions, sideEffects: "None", admissionReviewVersions: ["v1"] };
  await api.create(WEBHOOKS, { metadata: { name }, webhooks: [webhook] });
  const stop = () => api.delete(`${WEBHOOKS}/${name}`);
  onTestFinished(async () => void (await stop().catch(() => {})));
  const touched = async () => {
    const { metadata } = await read();
    await api.mergePatch(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, {
      metadata: { labels: { touched: metadata.resourceVersion } },
    });
    return calls();
  };
  await expect.poll(touched).toBeGreaterThan(0);
  return stop;
}

// Without isKept (update-record.ts) the start is an internal error, and the dry run has succeeded without a word.
test("where admission removes crdshift's annotation, a start and a dry run say so, and nothing is written", async () => {
  const definition = await stale(OBJECTS);
  const stop = await stripped(definition);
  await expect(start(definition, { acceptUnseen: true })).rejects.toMatchObject({
    code: "precondition_failed",
    message: expect.stringMatching(/^Admission removes .*crdshift\.dev\/rewrite/),
    nextStep: expect.stringContaining("kubectl get mutatingwebhookconfigurations"),
  });
  expect(runsHere()).toEqual([]);
  const { id } = await startDryRun(connection, definition.name, { signal: soon() });
  const now = () => findDryRun(connection.audience, definition.name, id).current;
  await expect.poll(() => now().phase).toBe("succeeded");
  expect(now().message).toMatch(/^These findings couldn't be recorded\. Admission removes .*kubectl get/);
  expect(await storedAs(definition)).toEqual({ v1beta1: OBJECTS });
  await stop();
  await expect.poll(async () => (await rewrite(definition, { acceptUnseen: true }).catch(() => null))?.phase).toBe("succeeded");
});
