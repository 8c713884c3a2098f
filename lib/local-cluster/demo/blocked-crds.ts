import type { DemoCrd } from "./demo-crd.ts";
import { namespacedObjects } from "./demo-objects.ts";
import { string, strings } from "./schemas.ts";

const spec = { issuer: string, dnsNames: strings };

/** Its storage version isn't served, so what is left at the old version can't be rewritten: blocked. */
export const certificateBundles: DemoCrd = {
  group: "security.example.com",
  kind: "CertificateBundle",
  plural: "certificatebundles",
  scope: "Namespaced",
  versions: [
    { name: "v1alpha1", spec, columns: ["issuer"] },
    { name: "v1", served: false, storage: true, spec, columns: ["issuer"] },
  ],
  createdAs: "v1alpha1",
  fieldManager: "certificate-controller",
  objects: namespacedObjects(15, "bundle", (index) => ({ issuer: "internal-ca", dnsNames: [`svc-${index}.example.com`] })),
};
