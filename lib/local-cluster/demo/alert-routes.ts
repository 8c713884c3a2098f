import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { oneOf, string } from "./schemas.ts";

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
