import { type DemoCrd, namespacedObjects, pick } from "./demo-crd.ts";
import { integer, oneOf, string, strings } from "./schemas.ts";

const queueSpec = { retentionHours: integer, partitions: integer, consumers: strings };
const poolSpec = { machineType: string, replicas: integer };
const poolScale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
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

/**
 * Has the scale subresource, at v1 with a selector too, and is found by a category: `kubectl get compute`. OLM owns it. Some pools use
 * drainSeconds, which v1beta1 has no place for: with v1beta1 as the storage version they would lose it.
 */
export const workerPools: DemoCrd = {
  group: "compute.example.com",
  kind: "WorkerPool",
  plural: "workerpools",
  shortNames: ["wp"],
  categories: ["all", "compute"],
  scope: "Namespaced",
  labels: { "olm.managed": "true", "operators.coreos.com/worker-pool-operator.compute-system": "" },
  versions: [
    { name: "v1beta1", spec: poolSpec, status: { replicas: integer }, scale: poolScale },
    {
      name: "v1",
      storage: true,
      spec: { ...poolSpec, drainSeconds: integer },
      status: { replicas: integer, selector: string },
      scale: { ...poolScale, labelSelectorPath: ".status.selector" },
      columns: ["machineType", "replicas"],
    },
  ],
  fieldManager: "worker-pool-operator",
  objects: namespacedObjects(12, "pool", (index) => ({
    machineType: pick(["small", "large"], index),
    replicas: 2 + (index % 4),
    ...(index % 4 === 1 && { drainSeconds: 60 }),
  })),
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
