import { boolean, type DemoCrd, integer, namespacedObjects, oneOf, pick, string, strings } from "./demo-crd.ts";

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

const backupSpec = { schedule: string, retentionDays: integer, volumes: strings };
const mirrorSpec = { source: string, target: string };
const flagSpec = { flag: string, enabled: boolean, percentage: integer };

/** A deprecated version with its own warning. */
export const backupSchedules: DemoCrd = {
  group: "storage.example.com",
  kind: "BackupSchedule",
  plural: "backupschedules",
  scope: "Namespaced",
  versions: [
    {
      name: "v1beta1",
      deprecated: true,
      deprecationWarning:
        "storage.example.com/v1beta1 BackupSchedule goes away in release 2027.1; use storage.example.com/v1 (see go/backup-v1)",
      spec: backupSpec,
      columns: ["schedule"],
    },
    { name: "v1", storage: true, spec: backupSpec, columns: ["schedule", "retentionDays"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "velvet-backup",
  objects: namespacedObjects(36, "volume-backup", (index) => ({
    schedule: `0 ${index % 6} * * *`,
    retentionDays: pick([7, 30, 90], index),
    volumes: [`data-${index}`],
  })),
};

/** The newer version is the deprecated one, withdrawn for the older that stays; no warning tells to go back. Flux owns it. */
export const imageMirrors: DemoCrd = {
  group: "registry.example.com",
  kind: "ImageMirror",
  plural: "imagemirrors",
  scope: "Namespaced",
  labels: { "kustomize.toolkit.fluxcd.io/name": "registry", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" },
  versions: [
    { name: "v1", storage: true, spec: mirrorSpec, columns: ["source", "target"] },
    { name: "v2", deprecated: true, spec: mirrorSpec, columns: ["source", "target"] },
  ],
  fieldManager: "mirror-controller",
  objects: namespacedObjects(12, "mirror", (index) => ({
    source: `upstream.example.org/library/${pick(["nginx", "redis", "postgres"], index)}`,
    target: `registry.example.com/mirror/${pick(["nginx", "redis", "postgres"], index)}`,
  })),
};

/** A deprecated version with the API server's default warning; nothing is left over. */
export const featureFlags: DemoCrd = {
  group: "delivery.example.com",
  kind: "FeatureFlag",
  plural: "featureflags",
  shortNames: ["ff"],
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", deprecated: true, spec: flagSpec },
    { name: "v1", storage: true, spec: flagSpec, columns: ["flag", "enabled"] },
  ],
  fieldManager: "argocd-controller",
  labels: { "app.kubernetes.io/part-of": "argocd" },
  annotations: {
    "argocd.argoproj.io/tracking-id": "delivery:apiextensions.k8s.io/CustomResourceDefinition:/featureflags.delivery.example.com",
  },
  objects: namespacedObjects(24, "flag", (index) => ({
    flag: pick(["new-checkout", "dark-launch-search", "fast-refunds"], index),
    enabled: index % 3 !== 0,
    percentage: (index * 5) % 100,
  })),
};
