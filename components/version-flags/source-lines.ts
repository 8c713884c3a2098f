import type { VersionFlags } from "./version-flags.ts";

/** A version's flags as they stand in the YAML of a definition, its schema left out. */
export function sourceLines(version: string, { served, storage, deprecated, warning }: VersionFlags): string {
  return [
    ...["spec:", "  versions:", `  - name: ${version}`, `    served: ${served}`, `    storage: ${storage}`],
    ...(deprecated ? ["    deprecated: true", ...(warning ? [`    deprecationWarning: ${JSON.stringify(warning)}`] : [])] : []),
  ].join("\n");
}
