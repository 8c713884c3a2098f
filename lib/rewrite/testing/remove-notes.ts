import { expect, onTestFinished } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { reviewServer, sendJson } from "./webhook-server.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/** A mutating webhook that removes `spec.note` in each update. In force when this returns, until the end of the test. */
export async function removeNotes(api: ApiClient, definition: SampleDefinition): Promise<void> {
  const { clientConfig } = await reviewServer((review, response) => {
    const { apiVersion, kind, request } = review;
    const patch = Buffer.from(JSON.stringify([{ op: "remove", path: "/spec/note" }])).toString("base64");
    const change = request.object?.spec?.note === undefined ? {} : { patchType: "JSONPatch", patch };
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, ...change } });
  });
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural], scope: "*" };
  const webhook = { name: `notes.${definition.group}`, clientConfig, sideEffects: "None", rules: [rule], admissionReviewVersions: ["v1"] };
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [webhook] });
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
  const path = `${definition.path("v1", { name: objectName(0) })}?dryRun=All`;
  const tried = async () => ((await api.mergePatch(path, {})) as { spec?: object }).spec;
  await expect.poll(tried, { timeout: 30_000 }).not.toHaveProperty("note");
}
