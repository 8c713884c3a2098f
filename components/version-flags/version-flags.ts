import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import type { VersionChangeBody } from "#lib/contract/definition/version-change.ts";

/** A version's flags as a form holds them. */
export interface VersionFlags {
  served: boolean;
  storage: boolean;
  deprecated: boolean;
  /** The custom warning; empty for the API server's default. */
  warning: string;
}

export function flagsOf(version: CrdVersion): VersionFlags {
  const { served, storage, deprecated, customWarning } = version;
  return { served, storage, deprecated, warning: customWarning ?? "" };
}

/** The change from one set of flags to the other; null if they are equal. */
export function changeBetween(before: VersionFlags, after: VersionFlags): Omit<VersionChangeBody, "expectedGeneration"> | null {
  const change: Omit<VersionChangeBody, "expectedGeneration"> = {};
  if (before.served !== after.served) change.served = after.served;
  if (!before.storage && after.storage) change.storage = true;
  if (before.deprecated !== after.deprecated) change.deprecated = after.deprecated;
  // Only a deprecated version has a warning text; the text goes with the flag.
  if (after.deprecated && before.warning !== after.warning) change.deprecationWarning = after.warning || null;
  return Object.keys(change).length > 0 ? change : null;
}

/** A version's changed flags as YAML of its definition, without schemas; two entries for a flip, which changes two versions. */
export function sourceLines(versions: readonly CrdVersion[], name: string, flags: VersionFlags): string {
  const former = flags.storage ? versions.find((version) => version.storage && version.name !== name) : undefined;
  const entries = [entryLines(name, flags), ...(former ? [entryLines(former.name, { ...flagsOf(former), storage: false })] : [])];
  return ["spec:", "  versions:", ...entries.flat()].join("\n");
}

function entryLines(name: string, { served, storage, deprecated, warning }: VersionFlags): string[] {
  return [
    ...[`  - name: ${name}`, `    served: ${served}`, `    storage: ${storage}`],
    ...(deprecated ? ["    deprecated: true", ...(warning ? [`    deprecationWarning: ${JSON.stringify(warning)}`] : [])] : []),
  ];
}
