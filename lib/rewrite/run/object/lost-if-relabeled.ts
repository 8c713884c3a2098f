import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { lostByRelabeling } from "#lib/domain/objects/lost-by-relabeling.ts";
import { managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { versionSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Sending } from "./send-aside.ts";

/** The fields that managedFields entries of these versions would no longer own if they named the storage version, as paths. */
export async function lostIfRelabeled(
  sending: Pick<Sending, "connection" | "crd" | "gate" | "signal"> & { version: string },
  entries: readonly ExactJson[],
  isOld: (version: string) => boolean,
): Promise<string[]> {
  const schemaOf = await versionSchemas(sending);
  const paths = entries.flatMap((entry) => {
    const named = managedFieldsEntries([entry])[0]?.version ?? "";
    if (!isOld(named)) return [];
    return lostByRelabeling(exactProperty(entry, "fieldsV1"), { from: schemaOf(named), to: schemaOf(sending.version) });
  });
  return [...new Set(paths)];
}
