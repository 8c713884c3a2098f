import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects } from "./demo-objects.ts";
import { string } from "./schemas.ts";

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
