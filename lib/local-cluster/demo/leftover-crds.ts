import { clusterObjects, type DemoCrd, integer, namespacedObjects, oneOf, pick, string, strings } from "./demo-crd.ts";

const certificateSpec = { issuer: string, dnsNames: strings };

/** Its storage version isn't served, so what is left at the old version can't be rewritten: blocked. */
export const certificateBundles: DemoCrd = {
  group: "security.example.com",
  kind: "CertificateBundle",
  plural: "certificatebundles",
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", spec: certificateSpec, columns: ["issuer"] },
    { name: "v1", served: false, storage: true, spec: certificateSpec, columns: ["issuer"] },
  ],
  createdAs: "v1alpha1",
  fieldManager: "certificate-controller",
  objects: namespacedObjects(15, "bundle", (index) => ({ issuer: "internal-ca", dnsNames: [`svc-${index}.example.com`] })),
};

const clusterScopedSpec = { team: string, cpuCores: integer, memoryGiB: integer };

/** Cluster-scoped, with leftovers. */
export const tenantQuotas: DemoCrd = {
  group: "platform.example.com",
  kind: "TenantQuota",
  plural: "tenantquotas",
  shortNames: ["tq"],
  scope: "Cluster",
  versions: [
    { name: "v1alpha2", spec: clusterScopedSpec },
    { name: "v1beta1", spec: clusterScopedSpec },
    { name: "v1", storage: true, spec: clusterScopedSpec, columns: ["team", "cpuCores", "memoryGiB"] },
  ],
  createdAs: "v1alpha2",
  fieldManager: "tenant-operator",
  objects: clusterObjects(30, "quota", (index) => ({
    team: pick(["payments", "search", "data", "identity"], index),
    cpuCores: 8 * (1 + (index % 8)),
    memoryGiB: 32 * (1 + (index % 8)),
  })),
};

const trafficPolicySpec = { service: string, timeoutSeconds: integer, retries: integer, balancing: oneOf("round-robin", "least-requests") };

/** Rewritten with proof when the demo is made: prunable. */
export const trafficPolicies: DemoCrd = {
  group: "mesh.example.com",
  kind: "TrafficPolicy",
  plural: "trafficpolicies",
  shortNames: ["tp"],
  scope: "Namespaced",
  versions: [
    { name: "v1alpha3", spec: trafficPolicySpec, columns: ["service"] },
    { name: "v1", storage: true, spec: trafficPolicySpec, columns: ["service", "balancing", "timeoutSeconds"] },
  ],
  createdAs: "v1alpha3",
  fieldManager: "mesh-controller",
  objects: namespacedObjects(90, "edge", (index) => ({
    service: `${pick(["checkout", "catalog", "profile", "search"], index)}.svc`,
    timeoutSeconds: 5 + (index % 25),
    retries: index % 4,
    balancing: pick(["round-robin", "least-requests"], index),
  })),
};

const common = { receiver: string, matcher: string };
const tier = oneOf("critical", "standard");

/**
 * A rewrite of these adds a default and so raises their generation, which wakes their controller: v1 gives spec.tier a
 * default, and two thirds of the objects were created without a tier.
 */
export const alertRoutes: DemoCrd = {
  group: "observability.example.com",
  kind: "AlertRoute",
  plural: "alertroutes",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...common, tier }, columns: ["receiver"] },
    { name: "v1", storage: true, spec: { ...common, tier: { ...tier, default: "standard" } }, columns: ["receiver", "tier"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "alert-operator",
  objects: namespacedObjects(36, "route", (index) => ({
    receiver: pick(["pager", "chat"], index),
    matcher: `service="${pick(["checkout", "catalog", "ledger", "search"], index)}"`,
    ...(index % 3 === 0 && { tier: "critical" }),
  })),
};

const spec = { note: string };

/**
 * The ten version names by which the Kubernetes documentation explains version priority, given here in another order:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority
 */
export const versionOrderSample: DemoCrd = {
  group: "docs.example.com",
  kind: "VersionOrderSample",
  plural: "versionordersamples",
  scope: "Namespaced",
  versions: [
    { name: "foo1", spec },
    { name: "v1", spec },
    { name: "v11alpha2", spec },
    { name: "v10beta3", served: false, spec },
    { name: "v2", storage: true, spec },
    { name: "foo10", served: false, spec },
    { name: "v12alpha1", spec },
    { name: "v3beta1", spec, deprecated: true },
    { name: "v10", spec },
    { name: "v11beta2", spec },
  ],
  createdAs: "v1",
  objects: namespacedObjects(6, "sample", (index) => ({ note: `sample ${index + 1}` })),
};
