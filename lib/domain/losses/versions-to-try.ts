import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import type { ExactJson } from "#lib/domain/exact-json/exact-json.ts";
import { containsSchema } from "./contains-schema.ts";

/**
 * The versions beside the storage version at which an object has to be tried to see what a rewrite would lose: every other served one,
 * stored versions first. Without conversion, a version only prunes and defaults by its schema, so one whose schema that of the storage
 * version, or of a version before it, contains can show nothing more and is left out. A webhook may do anything, so none is.
 */
export function versionsToTry(
  crd: Pick<Crd, "versions" | "storedVersions" | "conversion">,
  schemaOf: (version: string) => ExactJson | undefined,
): string[] {
  const storage = storageVersion(crd)?.name ?? "";
  const others = otherServedVersions(crd, storage);
  if (crd.conversion.strategy !== "None") return others;
  const tried = [schemaOf(storage)];
  return others.filter((version) => {
    const schema = schemaOf(version);
    if (tried.some((one) => schema !== undefined && containsSchema(one, schema))) return false;
    tried.push(schema);
    return true;
  });
}
