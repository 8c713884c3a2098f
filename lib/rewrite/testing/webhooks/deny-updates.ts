import { expect, onTestFinished } from "vitest";
import { type ApiClient, ApiError } from "#lib/local-cluster/api-client.ts";
import { objectName, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";

/**
 * A policy on the main resource that denies updates to objects with `spec.frozen`, which the first object must have. In force when this
 * returns, until the test ends or `lift` is called.
 */
export async function denyUpdatesOfFrozen(api: ApiClient, definition: SampleDefinition): Promise<{ lift(): Promise<void> }> {
  const [policies, bindings] = [`${ADMISSION}/validatingadmissionpolicies`, `${ADMISSION}/validatingadmissionpolicybindings`];
  const metadata = { name: `frozen-${definition.group}` };
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] };
  const validations = [{ expression: "!object.spec.frozen", messageExpression: "object.metadata.name + ' is frozen'" }];
  await api.create(policies, { metadata, spec: { matchConstraints: { resourceRules: [rule] }, validations } });
  onTestFinished(async () => void (await api.delete(`${policies}/${metadata.name}`)));
  await api.create(bindings, { metadata, spec: { policyName: metadata.name, validationActions: ["Deny"] } });
  let isBound = true;
  const unbind = async () => {
    if (isBound) await api.delete(`${bindings}/${metadata.name}`);
    isBound = false;
  };
  onTestFinished(unbind);
  const path = definition.path("v1", { name: objectName(0) });
  const answer = () =>
    api.mergePatch(`${path}?dryRun=All`, {}).then(
      () => "allowed",
      (error: unknown) => (error instanceof ApiError && error.message.includes("is frozen") ? "denied" : String(error)),
    );
  await expect.poll(answer, { timeout: 30_000 }).toBe("denied");
  return {
    async lift() {
      await unbind();
      await expect.poll(answer, { timeout: 30_000 }).toBe("allowed");
    },
  };
}
