import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { integer, oneOf, string } from "./schemas.ts";

const spec = { service: string, timeoutSeconds: integer, retries: integer, balancing: oneOf("round-robin", "least-requests") };

/** Rewritten with proof when the demo is made: prunable. */
export const trafficPolicies: DemoCrd = {
  group: "mesh.example.com",
  kind: "TrafficPolicy",
  plural: "trafficpolicies",
  shortNames: ["tp"],
  scope: "Namespaced",
  versions: [
    { name: "v1alpha3", spec, columns: ["service"] },
    { name: "v1", storage: true, spec, columns: ["service", "balancing", "timeoutSeconds"] },
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
