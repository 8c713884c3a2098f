import type { CrdVersion } from "#lib/contract/definition/crd.ts";
import { flagsOf, type VersionFlags } from "./version-flags.ts";

/** What a change of a version's flags comes to in the YAML of its definition, the schemas left out. A flip is two entries: one version alone is the storage version. */
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
