import { clusterObjects, type DemoCrd, integer, namespacedObjects, pick, string, strings } from "./demo-crd.ts";

const rotation = { secret: string };

/** These can't be converted: the service of their webhook was removed, so every list at v1 fails. */
export const secretRotations: DemoCrd = {
  group: "security.example.com",
  kind: "SecretRotation",
  plural: "secretrotations",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...rotation, schedule: string }, columns: ["secret", "schedule"] },
    { name: "v1", storage: true, spec: { ...rotation, intervalHours: integer }, columns: ["secret", "intervalHours"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "secret-controller",
  conversion: {
    by: "absent-service",
    service: { namespace: "secret-system", name: "secret-rotation-webhook", path: "/convert" },
  },
  objects: namespacedObjects(12, "rotation", (index) => ({
    secret: pick(["database-password", "signing-key", "api-token"], index),
    schedule: `every ${pick([12, 24, 168], index)} hours`,
  })),
};

/** One version is left, and the webhook that converted from the others is still configured; its CA is about to expire. */
export const dashboards: DemoCrd = {
  group: "observability.example.com",
  kind: "Dashboard",
  plural: "dashboards",
  scope: "Cluster",
  versions: [{ name: "v1", storage: true, spec: { title: string, panels: strings }, columns: ["title"] }],
  conversion: { by: "demo-webhook", ca: "expiring" },
  objects: clusterObjects(9, "dashboard", (index) => ({
    title: `${pick(["Latency", "Errors", "Saturation"], index)} of team ${1 + Math.floor(index / 3)}`,
    panels: ["overview", "by-region"],
  })),
};

const reportFields = { report: string, recipient: string };
const unparsable = 41;

/**
 * One of these has a schedule that conversion-webhook.ts can't convert, so no list at v1 succeeds, and its error names no
 * object. This went unnoticed while v1beta1 was the storage version, as nothing was converted. The webhook's bundle also
 * holds a certificate that expires within weeks.
 */
export const reportTasks: DemoCrd = {
  group: "analytics.example.com",
  kind: "ReportTask",
  plural: "reporttasks",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...reportFields, schedule: string }, columns: ["report", "schedule"] },
    { name: "v1", storage: true, spec: { ...reportFields, intervalMinutes: integer }, columns: ["report", "intervalMinutes"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "report-scheduler",
  conversion: { by: "demo-webhook", ca: "rotating" },
  objects: namespacedObjects(60, "report", (index) => ({
    report: pick(["usage", "revenue", "churn"], index),
    recipient: `${pick(["finance", "product"], index)}@example.com`,
    schedule: index === unparsable ? "every 5th" : `every ${pick([5, 15, 60], index)} minutes`,
  })),
};

const cronFields = { cronSpec: string, image: string, replicas: integer };

/**
 * The CronTab of the Kubernetes documentation, whose hostPort became host and port, converted by conversion-webhook.ts:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/
 */
export const cronTabs: DemoCrd = {
  group: "stable.example.com",
  kind: "CronTab",
  plural: "crontabs",
  shortNames: ["ct"],
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", deprecated: true, spec: { ...cronFields, hostPort: string }, columns: ["cronSpec", "hostPort", "replicas"] },
    { name: "v1", storage: true, spec: { ...cronFields, host: string, port: string }, columns: ["cronSpec", "host", "port", "replicas"] },
  ],
  createdAs: "v1beta1",
  fieldManager: "cron-controller",
  conversion: { by: "demo-webhook" },
  objects: namespacedObjects(1_500, "nightly-report", (index) => ({
    cronSpec: `${index % 60} ${index % 24} * * *`,
    image: `registry.example.com/reports/${pick(["ledger", "invoices", "search-index", "usage"], index)}:2.${index % 20}`,
    replicas: 1 + (index % 3),
    hostPort: `reports-${index % 12}.example.com:${8_000 + (index % 100)}`,
  })),
};
