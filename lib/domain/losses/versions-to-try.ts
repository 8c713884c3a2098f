import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { type ExactJson, exactText } from "#lib/domain/exact-json/exact-json.ts";
import { containsSchema } from "./contains-schema.ts";

/**
 * The versions beside the storage version at which an object has to be tried to see what a rewrite would lose: every other served one,
 * stored versions first. Without conversion, a version only prunes and defaults by its schema, so one whose schema is contained in that of
 * the storage version, or equals that of a version before it, can show nothing more and is left out. A webhook may do anything, so none is.
 */
export function versionsToTry(
  crd: Pick<Crd, "versions" | "storedVersions" | "conversion">,
  schemaOf: (version: string) => ExactJson | undefined,
): string[] {
  const storage = storageVersion(crd)?.name ?? "";
  const others = otherServedVersions(crd, storage);
  if (crd.conversion.strategy !== "None") return others;
  const ofStorage = schemaOf(storage);
  // Equal ones by their text: comparing each with each takes minutes for thousands of versions.
  const tried = new Set<string>();
  return others.filter((version) => {
    const schema = schemaOf(version);
    if (schema === undefined) return true;
    if (containsSchema(ofStorage, schema)) return false;
    const text = exactText(schema);
    const isNew = !tried.has(text);
    tried.add(text);
    return isNew;
  });
}
