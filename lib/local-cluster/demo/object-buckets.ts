import { type DemoCrd, namespacedObjects, pick } from "./demo-crd.ts";
import { boolean, integer, string } from "./schemas.ts";

const common = { sizeGiB: integer, versioned: boolean };
const closedRegion = "dc-north";
const minimumGiB = 5;

/**
 * v1 has validation rules that some of these violate as they are. The rule on region compares with oldSelf, so the API
 * server applies it to an unchanged value too and refuses six objects; the rule on the whole object refuses five more.
 * The API server applies both rules to updates of the status subresource too, so that is no way round them.
 */
export const objectBuckets: DemoCrd = {
  group: "storage.example.com",
  kind: "ObjectBucket",
  plural: "objectbuckets",
  scope: "Namespaced",
  versions: [
    { name: "v1beta1", spec: { ...common, region: string }, columns: ["region", "sizeGiB"] },
    {
      name: "v1",
      storage: true,
      spec: {
        ...common,
        region: {
          type: "string",
          "x-kubernetes-validations": [
            {
              rule: `oldSelf == self && self != '${closedRegion}'`,
              message: `a bucket stays in its region, and ${closedRegion} is closed`,
            },
          ],
        },
      },
      status: { usedGiB: integer },
      rules: [{ rule: `self.spec.sizeGiB >= ${minimumGiB}`, message: `a bucket has at least ${minimumGiB} GiB` }],
      columns: ["region", "sizeGiB"],
    },
  ],
  createdAs: "v1beta1",
  fieldManager: "bucket-operator",
  objects: namespacedObjects(40, "bucket", (index) => ({
    region: index % 7 === 3 ? closedRegion : pick(["dc-south", "dc-west"], index),
    sizeGiB: index % 8 === 5 ? 2 : 10 * (1 + (index % 6)),
    versioned: index % 2 === 0,
  })),
};
