import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { versionPriorityOrder } from "#lib/domain/versions/version-priority.ts";

export interface ConversionPair {
  from: string;
  to: string;
}

/**
 * The conversions that the API server may perform for the current definition: from versions that may be stored to served ones, and from
 * served versions to the storage version. In priority order.
 */
export function conversionPairs(crd: Pick<Crd, "versions" | "storedVersions">): ConversionPair[] {
  const storage = storageVersion(crd)?.name;
  const versions = versionPriorityOrder(crd.versions);
  const mayBeStored = (name: string) => name === storage || crd.storedVersions.includes(name);
  return versions.flatMap((from) =>
    versions
      .filter((to) => to.name !== from.name)
      .filter((to) => (mayBeStored(from.name) && (to.served || to.name === storage)) || (from.served && to.name === storage))
      .map((to) => ({ from: from.name, to: to.name })),
  );
}
