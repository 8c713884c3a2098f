import type { CrdVersion } from "#lib/contract/definition/crd.ts";

/** The facts about a version as text; each is independent of the others. */
export function versionFacts(version: CrdVersion, preferredVersion: string | null): string[] {
  return [
    ...(version.storage ? ["storage version"] : []),
    ...(version.name === preferredVersion ? ["preferred"] : []),
    version.served ? "served" : "not served",
    ...(version.deprecated ? ["deprecated"] : []),
  ];
}

/** Up to three versions by name, or just how many. */
export function nameVersions(versions: readonly string[]): string {
  return versions.length <= 3 ? versions.join(", ") : `${versions.length} versions`;
}
