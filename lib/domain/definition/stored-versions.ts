import { type Crd, hasCondition, storageVersion } from "./crd.ts";

/** Stored versions other than the storage version: what blocks a removal. Each once, in the order of the status. */
export function leftoverVersions(crd: Pick<Crd, "versions" | "storedVersions">): string[] {
  const storage = storageVersion(crd)?.name;
  return [...new Set(crd.storedVersions)].filter((version) => version !== storage);
}

/** The leftover versions that are served, where a dry run can see what a rewrite loses; and those that are not. */
export function leftoversByServing(crd: Pick<Crd, "versions" | "storedVersions">): { served: string[]; unserved: string[] } {
  const leftovers = leftoverVersions(crd);
  const isServed = (name: string) => crd.versions.some((version) => version.name === name && version.served);
  return { served: leftovers.filter(isServed), unserved: leftovers.filter((name) => !isServed(name)) };
}

/** The served versions other than this one, stored versions first. */
export function otherServedVersions(crd: Pick<Crd, "versions" | "storedVersions">, version: string): string[] {
  const others = crd.versions.filter(({ name, served }) => served && name !== version).map(({ name }) => name);
  return [...others.filter((name) => crd.storedVersions.includes(name)), ...others.filter((name) => !crd.storedVersions.includes(name))];
}

/**
 * A stored version that spec.versions does not have, or null. While there is one, the API server refuses every change of the
 * definition but of its /status, a label or an annotation included.
 */
export function unknownStoredVersion(crd: Pick<Crd, "versions">, storedVersions: readonly string[]): string | null {
  return storedVersions.find((stored) => !crd.versions.some((version) => version.name === stored)) ?? null;
}

/**
 * What is wrong with a list of stored versions, in words, or null. The API server hardly guards /status: it takes an empty
 * list, duplicates, unknown versions, and a list without the storage version.
 */
export function storedVersionsProblem(crd: Pick<Crd, "versions">, storedVersions: readonly string[]): string | null {
  const storage = storageVersion(crd)?.name;
  const unknown = unknownStoredVersion(crd, storedVersions);
  const duplicate = storedVersions.find((stored, index) => storedVersions.indexOf(stored) !== index);
  if (storedVersions.length === 0) return "status.storedVersions is empty";
  if (unknown !== null) return `status.storedVersions names ${unknown}, which spec.versions does not have`;
  if (duplicate !== undefined) return `status.storedVersions names ${duplicate} twice`;
  if (!storage || !storedVersions.includes(storage)) return `status.storedVersions lacks the storage version ${storage ?? ""}`.trimEnd();
  return null;
}

/**
 * The API server's own words when a new spec drops a version that is still listed.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, ValidateCustomResourceDefinitionStoredVersions.
 */
export function dropRefusal(storedVersions: readonly string[], version: string): string {
  const index = storedVersions.indexOf(version);
  return (
    `status.storedVersions[${index}]: Invalid value: "${version}": missing from spec.versions; ${version} was previously a storage version, ` +
    `and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
  );
}

/** Why the API server serves no version of a definition, whatever its versions say: it is not Established; null when it is. */
export function unservedBecause(crd: Pick<Crd, "conditions">): "names not accepted" | "not established" | null {
  if (hasCondition(crd, "Established")) return null;
  const isRefused = crd.conditions.some(({ type, status }) => type === "NamesAccepted" && status === "False");
  return isRefused ? "names not accepted" : "not established";
}
