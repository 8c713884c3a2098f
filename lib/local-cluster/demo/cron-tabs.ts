import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { integer, string } from "./schemas.ts";

const common = { cronSpec: string, image: string, replicas: integer };

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
    { name: "v1beta1", deprecated: true, spec: { ...common, hostPort: string }, columns: ["cronSpec", "hostPort", "replicas"] },
    { name: "v1", storage: true, spec: { ...common, host: string, port: string }, columns: ["cronSpec", "host", "port", "replicas"] },
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
