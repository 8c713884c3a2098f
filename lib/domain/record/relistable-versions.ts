import { type CrdVersion, versionNames } from "#lib/domain/definition/crd.ts";

/**
 * Those of the versions that an undo or a repair adds to status.storedVersions: the ones that spec.versions still has and the list lacks.
 * All of them if there are none, so that it says why it is refused.
 */
export function relistableVersions(
  removed: readonly string[],
  crd: { versions: readonly Pick<CrdVersion, "name">[]; storedVersions: readonly string[] },
): string[] {
  const listed = new Set(crd.storedVersions);
  const relistable = removed.filter((version) => versionNames(crd).has(version) && !listed.has(version));
  return relistable.length > 0 ? relistable : [...removed];
}
