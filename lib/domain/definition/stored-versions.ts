import { validProof } from "#lib/domain/record/valid-evidence.ts";
import { contradictionOf } from "./contradiction.ts";
import { type Crd, hasCondition, storageVersion, versionNames } from "./crd.ts";

/** In characters: of a version's name in the spec. The API server validates nothing in status.storedVersions. */
export const VERSION_MAX_LENGTH = 63;

/** Stored versions other than the storage version, without duplicates, in status order. They block a removal. */
export function leftoverVersions(crd: Pick<Crd, "versions" | "storedVersions">): readonly string[] {
  return comparison(crd, crd.storedVersions).leftovers;
}

/**
 * Versions that aren't served although objects may be stored in them, so that nobody can see what a rewrite would lose: leftover versions,
 * and all others of the spec but the storage version, because another engine may have taken them out of storedVersions too early. None
 * while a proof holds that no etcd count contradicts. A prune of crdshift's own says nothing: since then, the version may have been the
 * storage version again.
 */
export function unseenVersions(crd: Crd): string[] {
  if (validProof(crd) && contradictionOf(crd) === null) return [];
  const listed = new Set(crd.storedVersions);
  const unlisted = crd.versions.filter(({ name, storage }) => !storage && !listed.has(name)).map(({ name }) => name);
  const served = new Set(crd.versions.filter((version) => version.served).map(({ name }) => name));
  return [...leftoverVersions(crd), ...unlisted].filter((name) => !served.has(name));
}

/** Other served versions, stored versions first. */
export function otherServedVersions(crd: Pick<Crd, "versions" | "storedVersions">, version: string): string[] {
  const others = crd.versions.filter(({ name, served }) => served && name !== version).map(({ name }) => name);
  const listed = new Set(crd.storedVersions);
  return [...others.filter((name) => listed.has(name)), ...others.filter((name) => !listed.has(name))];
}

/**
 * A stored version missing from spec.versions, or null. While there is one, the API server refuses every change to the definition
 * except to /status; that includes labels and annotations.
 */
export function unknownStoredVersion(crd: Pick<Crd, "versions">, storedVersions: readonly string[]): string | null {
  return comparison(crd, storedVersions).unknown;
}

/**
 * What is wrong with a list of stored versions, for people, or null. The API server barely validates /status: it accepts duplicates,
 * unknown versions, and a list without the storage version. It takes an empty list for one of the storage version.
 */
export function storedVersionsProblem(crd: Pick<Crd, "versions">, storedVersions: readonly string[]): string | null {
  const storage = storageVersion(crd)?.name;
  const { unknown, duplicate, hasStorage } = comparison(crd, storedVersions);
  if (storedVersions.length === 0) return "status.storedVersions is empty";
  if (unknown !== null) return `status.storedVersions lists ${unknown}, which is not in spec.versions`;
  if (duplicate !== null) return `status.storedVersions lists ${duplicate} twice`;
  if (!hasStorage) return `status.storedVersions is missing the storage version ${storage ?? ""}`.trimEnd();
  return null;
}

interface Comparison {
  versions: Crd["versions"];
  leftovers: readonly string[];
  /** The first that is missing from spec.versions. */
  unknown: string | null;
  /** The first that is listed again. */
  duplicate: string | null;
  hasStorage: boolean;
}

/** By the list of stored versions. */
const comparisons = new WeakMap<readonly string[], Comparison>();

// Made once for the lists that a definition has: both may have thousands, and a page asks for many of its versions.
function comparison({ versions }: Pick<Crd, "versions">, storedVersions: readonly string[]): Comparison {
  const then = comparisons.get(storedVersions);
  if (then?.versions === versions) return then;
  const [known, storage] = [versionNames({ versions }), storageVersion({ versions })?.name];
  const seen = new Set<string>();
  const duplicate = storedVersions.filter((stored) => seen.has(stored) || !seen.add(stored))[0] ?? null;
  const unknown = storedVersions.find((stored) => !known.has(stored)) ?? null;
  const leftovers = [...seen].filter((version) => version !== storage);
  const made = { versions, leftovers, unknown, duplicate, hasStorage: storage !== undefined && seen.has(storage) };
  comparisons.set(storedVersions, made);
  return made;
}

/**
 * The API server's message when a new spec drops the version that is listed at this place.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, ValidateCustomResourceDefinitionStoredVersions.
 */
export function dropRefusal(version: string, index: number): string {
  return (
    `status.storedVersions[${index}]: Invalid value: "${version}": missing from spec.versions; ${version} was previously a storage version, ` +
    `and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`
  );
}

/** Why the API server serves no version, regardless of `served`: the definition is not Established. Null when it is. */
export function whyNothingServed(crd: Pick<Crd, "conditions">): "names not accepted" | "not established" | null {
  if (hasCondition(crd, "Established")) return null;
  const isRefused = crd.conditions.some(({ type, status }) => type === "NamesAccepted" && status === "False");
  return isRefused ? "names not accepted" : "not established";
}
