import type { DemoCrd } from "./demo-crd.ts";
import { clusterObjects, namespacedObjects, pick } from "./demo-objects.ts";
import { integer, string, strings } from "./schemas.ts";

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
