import type { DemoCrd, DemoObject } from "./demo-crd.ts";
import { namespacedObjects, pick } from "./demo-objects.ts";
import { string, strings } from "./schemas.ts";

const spec = { subject: string, role: string, clusters: strings, reviewedBy: string };

/**
 * A rewrite of these empties their managedFields, which name v1alpha1, a version that is gone; until then every server-side
 * apply fails. create-access-grants.ts takes them there.
 */
export const accessGrants: DemoCrd = {
  group: "identity.example.com",
  kind: "AccessGrant",
  plural: "accessgrants",
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", spec },
    { name: "v1beta1", spec, columns: ["subject", "role"] },
    { name: "v1", storage: true, spec, columns: ["subject", "role", "reviewedBy"] },
  ],
  createdAs: "v1alpha1",
  objects: namespacedObjects(24, "grant", (index) => ({
    subject: `${pick(["alex", "kim", "sasha", "robin"], index)}@example.com`,
    role: pick(["viewer", "editor"], index),
    clusters: [`cluster-${index % 5}`],
  })),
};

/** What each field manager applies, in order. */
export const accessGrantAppliers: { fieldManager: string; objects: DemoObject[] }[] = [
  { fieldManager: "platform-operator", objects: accessGrants.objects },
  {
    fieldManager: "access-reviewer",
    objects: accessGrants.objects
      .filter((_, index) => index % 3 === 0)
      .map((grant) => ({ ...grant, spec: { reviewedBy: "security@example.com" } })),
  },
];
