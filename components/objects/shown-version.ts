import type { CrdDetail } from "#lib/contract/definition/crd.ts";

/** The version to show objects at: the requested one, else the storage version if served, else the preferred one. */
export function shownVersion(
  crd: Pick<CrdDetail, "versions" | "storageVersion" | "preferredVersion">,
  asked: string | null,
): string | null {
  if (asked !== null) return asked;
  const storage = crd.versions.find(({ name }) => name === crd.storageVersion);
  return storage?.served ? storage.name : crd.preferredVersion;
}
