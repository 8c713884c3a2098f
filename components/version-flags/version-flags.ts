import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import type { VersionChangeBody } from "#lib/contract/definition/version-change.ts";

/** A version's flags as a form holds them. */
export interface VersionFlags {
  served: boolean;
  storage: boolean;
  deprecated: boolean;
  /** The custom text; empty for the API server's own. */
  warning: string;
}

export function flagsOf(version: CrdVersion): VersionFlags {
  const { served, storage, deprecated, customWarning } = version;
  return { served, storage, deprecated, warning: customWarning ?? "" };
}

/** What is to be changed to get from one to the other; null when nothing is. */
export function changeBetween(before: VersionFlags, after: VersionFlags): Omit<VersionChangeBody, "expectedGeneration"> | null {
  const change: Omit<VersionChangeBody, "expectedGeneration"> = {};
  if (before.served !== after.served) change.served = after.served;
  if (!before.storage && after.storage) change.storage = true;
  if (before.deprecated !== after.deprecated) change.deprecated = after.deprecated;
  // A version that is not deprecated has no text; the one that it had goes with the flag.
  if (after.deprecated && before.warning !== after.warning) change.deprecationWarning = after.warning || null;
  return Object.keys(change).length > 0 ? change : null;
}
