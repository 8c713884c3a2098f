import { type Crd, storageVersion } from "./crd.ts";
import { changedVersions, type VersionChange } from "./version-change.ts";

/** What a change of a version's flags did, in a sentence for the record. */
export function versionChangeSentence(crd: Pick<Crd, "versions">, name: string, change: VersionChange): string {
  const before = crd.versions.find((version) => version.name === name);
  const after = changedVersions(crd, name, change).find((version) => version.name === name);
  if (!before || !after) return `${name} was changed.`;
  const done: string[] = [];
  if (before.served !== after.served) done.push(after.served ? "is served" : "is not served any more");
  if (!before.storage && after.storage) done.push(`is the storage version instead of ${storageVersion(crd)?.name ?? "none"}`);
  if (before.deprecated !== after.deprecated) done.push(after.deprecated ? "is deprecated" : "is not deprecated any more");
  if (before.customWarning !== after.customWarning) {
    done.push(after.customWarning === null ? "has the default warning" : `warns with “${after.customWarning}”`);
  }
  return `${name} ${done.join(", and ")}.`;
}
