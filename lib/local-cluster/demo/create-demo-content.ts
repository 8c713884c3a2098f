import { createHash } from "node:crypto";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { logElapsed } from "#lib/local-cluster/binaries/log-elapsed.ts";
import type { Etcd } from "#lib/local-cluster/etcd.ts";
import { selfSignedCertificate } from "#lib/local-cluster/programs/self-signed-certificate.ts";
import { accessGrantAppliers, accessGrants, createAccessGrants } from "./access-grants.ts";
import type { ConversionWebhook } from "./conversion-webhook.ts";
import { cronTabs, dashboards, reportTasks, secretRotations } from "./converted-crds.ts";
import { createDemoCrd } from "./create-demo-crd.ts";
import { backupSchedules, costCenters, featureFlags, imageMirrors, longName, messageQueues, workerPools } from "./current-crds.ts";
import { type Conversion, crdName, type DemoCrd, namespaces } from "./demo-crd.ts";
import { alertRoutes, certificateBundles, tenantQuotas, trafficPolicies, versionOrderSample } from "./leftover-crds.ts";
import { changeFreezeBinding, changeFreezePolicy, freezeRolloutPlans, rolloutPlans } from "./rollout-plans.ts";
import { databaseClaims, objectBuckets } from "./storage-crds.ts";
import { createTroubledCrds, edgeRouters, nodeProfiles, siteMaps, slackTopics, smsTemplates } from "./troubled-crds.ts";

/**
 * Makes the demo's content through the API. Every state is reached by what really causes it: objects are created before
 * the storage version changes, the change freeze comes after them, and the prunable CRD goes through `rewriteToProof`.
 */
export async function createDemoContent(options: {
  client: ApiClient;
  etcd: Etcd;
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
  const create = async (crd: DemoCrd) => createDemoCrd(crd, { client, signal, conversion: await conversionOf(crd, webhook) });
  const created = () => Promise.all([frozen(), createAccessGrants(options), createTroubledCrds(options), ...others.map(create)]);
  await Promise.all([
    proven(),
    logElapsed(log, `Creating ${cronTabs.objects.length.toLocaleString("en-US")} cron tabs and the other demo objects`, created),
  ]);
}

const others: readonly DemoCrd[] = [
  cronTabs,
  reportTasks,
  secretRotations,
  dashboards,
  databaseClaims,
  alertRoutes,
  objectBuckets,
  certificateBundles,
  tenantQuotas,
  backupSchedules,
  featureFlags,
  imageMirrors,
  versionOrderSample,
  messageQueues,
  costCenters,
  workerPools,
  longName,
];

/** The CRDs whose spec.conversion is the demo's webhook. */
export const webhookCrds: readonly DemoCrd[] = others.filter(({ conversion }) => conversion?.by === "demo-webhook");

/** Tells the content of one release from that of another: a digest of the CRDs, objects and policy as they are declared. */
export function contentDigest(): string {
  const declared = [trafficPolicies, rolloutPlans, changeFreezePolicy, changeFreezeBinding, accessGrants, accessGrantAppliers];
  const troubled = [smsTemplates, slackTopics, edgeRouters, nodeProfiles, siteMaps];
  return createHash("sha256")
    .update(JSON.stringify([declared, troubled, others]))
    .digest("hex");
}

const expiresAfterMs = 20 * 86_400_000;

/** What a CRD of the demo has for spec.conversion. */
async function conversionOf({ conversion }: DemoCrd, webhook: ConversionWebhook): Promise<Conversion> {
  if (!conversion) return { strategy: "None" };
  switch (conversion.by) {
    case "demo-webhook": {
      const { clientConfig, ...rest } = webhook.conversion.webhook;
      const caBundle = await bundleOf(conversion.ca, clientConfig.caBundle);
      return { strategy: "Webhook", webhook: { ...rest, clientConfig: { ...clientConfig, caBundle } } };
    }
    case "absent-service":
      return {
        strategy: "Webhook",
        webhook: { clientConfig: { service: conversion.service }, conversionReviewVersions: ["v1"] },
      };
    default:
      return conversion satisfies never;
  }
}

/** PEM in base64, as `current` is. */
async function bundleOf(ca: "rotating" | "expiring" | undefined, current: string): Promise<string> {
  if (!ca) return current;
  const { cert } = await selfSignedCertificate(
    "crdshift demo conversion webhook before its rotation",
    new Date(Date.now() + expiresAfterMs),
  );
  const kept = ca === "rotating" ? Buffer.from(current, "base64").toString("utf8") : "";
  return Buffer.from(`${cert.trimEnd()}\n${kept}`).toString("base64");
}
