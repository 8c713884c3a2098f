import type { CrdVersion } from "#lib/contract/definition/crd.ts";

/** `missing`: no longer in spec.versions, which breaks server-side apply to objects whose managedFields name it. */
export type VersionStanding = "storage" | "served" | "unserved" | "missing";

/** What a version that managedFields name is to the definition now, which may have changed since they were counted. */
export function versionStanding(versions: readonly CrdVersion[], name: string): VersionStanding {
  const version = versions.find((one) => one.name === name);
  if (!version) return "missing";
  if (version.storage) return "storage";
  return version.served ? "served" : "unserved";
}
