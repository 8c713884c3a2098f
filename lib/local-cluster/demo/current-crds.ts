import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { integer, oneOf, string, strings } from "./schemas.ts";

const queueSpec = { retentionHours: integer, partitions: integer, consumers: strings };
const distributionSpec = { primaryRegion: string, standbyRegions: strings, mode: oneOf("active-active", "active-passive") };

/** Defined, and not used yet. */
export const costCenters: DemoCrd = {
  group: "finance.example.com",
  kind: "CostCenter",
  plural: "costcenters",
  scope: "Cluster",
  versions: [{ name: "v1", storage: true, spec: { owner: string, budgetCode: string }, columns: ["owner", "budgetCode"] }],
  objects: [],
};

/** Serves several versions and has always stored the same one. */
export const messageQueues: DemoCrd = {
  group: "platform.example.com",
  kind: "MessageQueue",
  plural: "messagequeues",
  shortNames: ["mq"],
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", served: false, spec: queueSpec },
    { name: "v1beta2", spec: queueSpec },
    { name: "v1", storage: true, spec: queueSpec, columns: ["partitions", "retentionHours"] },
    { name: "v2alpha1", spec: queueSpec },
  ],
  fieldManager: "queue-operator",
  objects: namespacedObjects(60, "events", (index) => ({
    retentionHours: pick([24, 72, 168], index),
    partitions: 3 * (1 + (index % 4)),
    consumers: [`consumer-${index % 7}`],
  })),
};

/** A name as long as they get. */
export const longName: DemoCrd = {
  group: "disaster-recovery.networking.platform-engineering.example.com",
  kind: "MultiRegionFailoverTrafficDistributionPolicy",
  plural: "multiregionfailovertrafficdistributionpolicies",
  scope: "Namespaced",
  versions: [{ name: "v1alpha1", storage: true, spec: distributionSpec, columns: ["primaryRegion", "mode"] }],
  objects: namespacedObjects(3, "continental-failover-for-customer-facing-storefront-traffic", (index) => ({
    primaryRegion: pick(["eu-west-1", "us-east-1"], index),
    standbyRegions: ["eu-central-1"],
    mode: "active-passive",
  })),
};
