import { sleep } from "#lib/async/sleep.ts";
import { type ApiClient, ApiError } from "#lib/local-cluster/api-client.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";

const ADMISSION = "/apis/admissionregistration.k8s.io/v1";
const MESSAGE = "is frozen by the test";

/** Makes a policy deny updates of one object, though not of its status, and returns once it does. The result ends that. */
export async function denyUpdates(api: ApiClient, definition: SampleDefinition, objectName: string): Promise<() => Promise<void>> {
  const name = `deny.${definition.group}`;
  const apiVersion = "admissionregistration.k8s.io/v1";
  const rule = { apiGroups: [definition.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [definition.plural] };
  await api.create(`${ADMISSION}/validatingadmissionpolicies`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != '${objectName}'`, message: `${objectName} ${MESSAGE}` }],
    },
  });
  await api.create(`${ADMISSION}/validatingadmissionpolicybindings`, {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  const path = `${definition.path("v1", { name: objectName })}?dryRun=All`;
  const deadline = AbortSignal.timeout(60_000);
  while (!(await isDenied(api, path))) await sleep(100, deadline);
  return async () => {
    await api.delete(`${ADMISSION}/validatingadmissionpolicybindings/${name}`);
    await api.delete(`${ADMISSION}/validatingadmissionpolicies/${name}`);
  };
}

async function isDenied(api: ApiClient, path: string): Promise<boolean> {
  try {
    await api.mergePatch(path, {});
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.message.includes(MESSAGE)) return true;
    throw error;
  }
}
