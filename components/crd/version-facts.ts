import type { CrdVersion } from "#lib/contract/definition/crd.ts";

/** The four facts of a version in words; they are independent of each other. */
export function versionFacts(version: CrdVersion, preferredVersion: string | null): string[] {
  return [
    ...(version.storage ? ["storage version"] : []),
    ...(version.name === preferredVersion ? ["preferred"] : []),
    version.served ? "served" : "not served",
    ...(version.deprecated ? ["deprecated"] : []),
  ];
}

/** The versions by name, or how many when that would be a long list. */
export function nameVersions(versions: readonly string[]): string {
  return versions.length <= 3 ? versions.join(", ") : `${versions.length} versions`;
}
