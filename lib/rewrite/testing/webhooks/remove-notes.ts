import { expect, onTestFinished } from "vitest";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import { reviewServer, sendJson } from "./webhook-server.ts";

const CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";

/**
 * A mutating webhook that removes the note from each object's `spec` in an update, or from its `status` in an update of that. In force
 * when this returns, until the end of the test. `resources` are its rule's.
 */
export async function removeNotes(
  api: ApiClient,
  definition: SampleDefinition,
  { resources = [definition.plural], part = "spec" }: { resources?: string[]; part?: "spec" | "status" } = {},
): Promise<void> {
  const { clientConfig } = await reviewServer((review, response) => {
    const { apiVersion, kind, request } = review;
    const patch = Buffer.from(JSON.stringify([{ op: "remove", path: `/${part}/note` }])).toString("base64");
    const change = request.object?.[part]?.note === undefined ? {} : { patchType: "JSONPatch", patch };
    sendJson(response, { apiVersion, kind, response: { uid: request.uid, allowed: true, ...change } });
  });
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources, scope: "*" };
  const webhook = { name: `notes.${definition.group}`, clientConfig, sideEffects: "None", rules: [rule], admissionReviewVersions: ["v1"] };
  await api.create(CONFIGURATIONS, { metadata: { name: definition.name }, webhooks: [webhook] });
  onTestFinished(async () => void (await api.delete(`${CONFIGURATIONS}/${definition.name}`)));
  const path = `${definition.path("v1", { name: objectName(0) })}${part === "status" ? "/status" : ""}?dryRun=All`;
  const tried = async () => ((await api.mergePatch(path, {})) as { spec?: object; status?: object })[part];
  await expect.poll(tried, { timeout: 30_000 }).not.toHaveProperty("note");
}
