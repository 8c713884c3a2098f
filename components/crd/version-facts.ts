import type { CrdVersion } from "#lib/contract/crd.ts";

/** The four facts of a version in words; they are independent of each other. */
export function versionFacts(version: CrdVersion, preferredVersion: string | null): string[] {
  return [
    ...(version.storage ? ["storage version"] : []),
    ...(version.name === preferredVersion ? ["preferred"] : []),
    version.served ? "served" : "not served",
    ...(version.deprecated ? ["deprecated"] : []),
  ];
}
