import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { ApiError } from "#lib/local-cluster/api-error.ts";
import { objectsPath } from "./create-demo-crd.ts";
import { changeFreezeBinding, changeFreezePolicy, rolloutPlans } from "./rollout-plans.ts";

const policiesPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const bindingsPath = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
const pollMs = 100;
const inForceTimeoutMs = 60_000;

/** Puts the change freeze on the rollout plans labelled frozen=true, and returns once it denies an update. */
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
