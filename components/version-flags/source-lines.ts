import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import { flagsOf, type VersionFlags } from "./version-flags.ts";

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
