import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, ApiError } from "#lib/local-cluster/api-client.ts";
import { objectsPath } from "./create-demo-crd.ts";
import { boolean, type DemoCrd, integer, namespacedObjects, oneOf, pick, string } from "./demo-crd.ts";

const spec = {
  application: string,
  strategy: oneOf("canary", "blue-green"),
  stepPercent: integer,
  pauseSeconds: integer,
  autoPromote: boolean,
};
const frozenEvery = 17;

/**
 * A change freeze (an admission policy) denies the rewrite of seven of these. It matches the plans only, not their status
 * subresource: through that, all of them can be rewritten.
 */
export const rolloutPlans: DemoCrd = {
  group: "delivery.example.com",
  kind: "RolloutPlan",
  plural: "rolloutplans",
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", deprecated: true, spec, columns: ["application"] },
    { name: "v1beta1", storage: true, spec, status: { phase: string }, columns: ["application", "strategy"] },
  ],
  createdAs: "v1alpha1",
  fieldManager: "rollout-controller",
  objects: namespacedObjects(120, "plan", (index) => ({
    application: pick(["storefront", "ledger", "recommendations"], index),
    strategy: pick(["canary", "canary", "blue-green"], index),
    stepPercent: 5 * (1 + (index % 5)),
    pauseSeconds: 60,
    autoPromote: index % 2 === 0,
  })).map((plan, index) => (index % frozenEvery === frozenEvery - 1 ? { ...plan, labels: { frozen: "true" } } : plan)),
};

const name = "frozen-rollout-plans";

/** Denies every update of a rollout plan that keeps the label frozen=true. */
export const changeFreezePolicy = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name },
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      resourceRules: [{ apiGroups: [rolloutPlans.group], apiVersions: ["*"], operations: ["UPDATE"], resources: [rolloutPlans.plural] }],
    },
    validations: [
      {
        expression: "object.metadata.?labels[?'frozen'].orValue('') != 'true'",
        message: "this rollout plan is under a change freeze; remove its label frozen=true first",
      },
    ],
  },
};

export const changeFreezeBinding = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicyBinding",
  metadata: { name },
  spec: { policyName: name, validationActions: ["Deny"] },
};

const policiesPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindingsPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const pollMs = 100;
const inForceTimeoutMs = 60_000;

/** Puts the change freeze on the rollout plans labeled frozen=true, and returns once it denies an update. */
export async function freezeRolloutPlans({ client, signal }: { client: ApiClient; signal: AbortSignal }): Promise<void> {
  await client.create(policiesPath, changeFreezePolicy);
  await client.create(bindingsPath, changeFreezeBinding);
  const plan = rolloutPlans.objects.find((object) => object.labels);
  const path = `${objectsPath(rolloutPlans, "v1beta1", plan?.namespace)}/${plan?.name}`;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(inForceTimeoutMs)]);
  while (!(await isDenied(client, path))) await sleep(pollMs, undefined, { signal: deadline });
}

async function isDenied(client: ApiClient, path: string): Promise<boolean> {
  try {
    await client.mergePatch(`${path}?dryRun=All`, {});
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.message.includes(changeFreezePolicy.metadata.name)) return true;
    throw error;
  }
}
