import type { DemoCrd } from "./demo-crd.ts";
import { clusterObjects, pick } from "./demo-objects.ts";
import { integer, string } from "./schemas.ts";

const spec = { team: string, cpuCores: integer, memoryGiB: integer };

/** Cluster-scoped, with leftovers. */
export const tenantQuotas: DemoCrd = {
  group: "platform.example.com",
  kind: "TenantQuota",
  plural: "tenantquotas",
  shortNames: ["tq"],
  scope: "Cluster",
  versions: [
    { name: "v1alpha2", spec },
    { name: "v1beta1", spec },
    { name: "v1", storage: true, spec, columns: ["team", "cpuCores", "memoryGiB"] },
  ],
  createdAs: "v1alpha2",
  fieldManager: "tenant-operator",
  objects: clusterObjects(30, "quota", (index) => ({
    team: pick(["payments", "search", "data", "identity"], index),
    cpuCores: 8 * (1 + (index % 8)),
    memoryGiB: 32 * (1 + (index % 8)),
  })),
};
