import { type ExactJson, exactProperty } from "#lib/domain/exact-json/exact-json.ts";
import { lostByRelabeling } from "#lib/domain/objects/lost-by-relabeling.ts";
import { carryOver, managedFieldsEntries } from "#lib/domain/objects/managed-fields.ts";
import { keepsUnlisted, knownSchemas } from "#lib/rewrite/dry-run/version-schemas.ts";
import type { Sending } from "#lib/rewrite/run/object/request/send-aside.ts";

/**
 * The fields that managedFields entries of these versions would no longer own if they named the storage version, as paths.
 * @throws GateHeld, StopRun if the definition has changed, and the errors of reading it: without its schemas nobody knows.
 */
export async function lostIfRelabeled(
  sending: Pick<Sending, "connection" | "crd" | "gate" | "signal"> & { version: string },
  entries: readonly ExactJson[],
  isOld: (version: string) => boolean,
): Promise<string[]> {
  await sending.gate.whenReleased(sending.signal);
  const schemaOf = await knownSchemas(sending);
  const paths = entries.flatMap((entry) => {
    const named = managedFieldsEntries([entry])[0]?.version ?? "";
    if (!isOld(named)) return [];
    // At a version that is gone, nobody sees how a webhook converted it.
    const mayRename = sending.crd.conversion.strategy !== "None" && !sending.crd.versions.some(({ name }) => name === named);
    return lostByRelabeling(exactProperty(entry, "fieldsV1"), { from: schemaOf(named), to: schemaOf(sending.version), mayRename });
  });
  return [...new Set(paths)];
}

/**
 * managedFields whose entries of these versions name the storage version instead, without the fields that the API server prunes there:
 * left, they would look like fields that only etcd still has (hidden-fields.ts).
 * @throws as lostIfRelabeled.
 */
export async function relabeled(
  sending: Parameters<typeof lostIfRelabeled>[0],
  entries: readonly ExactJson[],
  isOld: (version: string) => boolean,
): Promise<ExactJson[]> {
  const { crd, version } = sending;
  const schemaOf = await knownSchemas(sending);
  const schema = (await keepsUnlisted(sending)) ? undefined : schemaOf(version);
  return carryOver(entries, isOld, { apiVersion: `${crd.group}/${version}`, schema });
}
