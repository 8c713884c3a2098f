import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { logElapsed } from "#lib/local-cluster/log-elapsed.ts";
import { certificateBundles } from "./blocked-crds.ts";
import { tenantQuotas } from "./cluster-scoped-crds.ts";
import type { ConversionWebhook } from "./conversion-webhook.ts";
import { createDemoCrd } from "./create-demo-crd.ts";
import { cronTabs } from "./cron-tabs.ts";
import { costCenters, longName, messageQueues } from "./current-crds.ts";
import { databaseClaims } from "./database-claims.ts";
import { crdName } from "./demo-crd.ts";
import { namespaces } from "./demo-objects.ts";
import { backupSchedules, featureFlags } from "./deprecated-crds.ts";
import { freezeRolloutPlans } from "./freeze-rollout-plans.ts";
import { rolloutPlans } from "./rollout-plans.ts";
import { trafficPolicies } from "./traffic-policies.ts";
import { versionOrderSample } from "./version-order-sample.ts";

/**
 * Makes the demo's content through the API. Every state is reached by what really causes it: objects are created before
 * the storage version changes, the change freeze comes after them, and the prunable CRD goes through `rewriteToProof`.
 */
export async function createDemoContent(options: {
  client: ApiClient;
  webhook: ConversionWebhook;
  log: (line: string) => void;
  signal: AbortSignal;
  rewriteToProof: (crd: string) => Promise<void>;
}): Promise<void> {
  const { client, webhook, log, signal, rewriteToProof } = options;
  for (const name of namespaces) await client.create("/api/v1/namespaces", { metadata: { name } });

  // All at once: the API server holds back the first create of every new CRD by two seconds, and a rewrite settles for longer.
  const proven = async () => {
    await createDemoCrd(trafficPolicies, options);
    await logElapsed(log, "Rewriting the traffic policies with proof (waits until no older request can be in flight)", () =>
      rewriteToProof(crdName(trafficPolicies)),
    );
  };
  const frozen = async () => {
    await createDemoCrd(rolloutPlans, options);
    await freezeRolloutPlans(options);
  };
  const converted = () => createDemoCrd(cronTabs, { client, signal, conversion: webhook.conversion });
  const created = () => Promise.all([converted(), frozen(), ...others.map((crd) => createDemoCrd(crd, options))]);
  await Promise.all([
    proven(),
    logElapsed(log, `Creating ${cronTabs.objects.length.toLocaleString("en-US")} cron tabs and the other demo objects`, created),
  ]);
}

const others = [
  databaseClaims,
  certificateBundles,
  tenantQuotas,
  backupSchedules,
  featureFlags,
  versionOrderSample,
  messageQueues,
  costCenters,
  longName,
];
