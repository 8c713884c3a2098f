import { type Crd, type CrdVersion, storageVersion } from "#lib/domain/definition/crd.ts";

/** Changes between two readings of a definition that matter to a pending change, for people. */
export function specDifferences(before: Crd, after: Crd): string[] {
  if (before.uid !== after.uid) return ["the definition was deleted and created again"];
  const found: string[] = [];
  const versionsThen = new Map(before.versions.map((version) => [version.name, version]));
  for (const version of after.versions) {
    const then = versionsThen.get(version.name);
    versionsThen.delete(version.name);
    if (!then) found.push(`${version.name} was added`);
    else found.push(...flagDifferences(then, version));
  }
  for (const gone of versionsThen.keys()) found.push(`${gone} was removed from spec.versions`);
  const [storageThen, storage] = [storageVersion(before)?.name, storageVersion(after)?.name];
  if (storageThen !== storage) found.push(`the storage version is ${storage ?? "missing"} instead of ${storageThen ?? "none"}`);
  if (before.storedVersions.join() !== after.storedVersions.join())
    found.push(`status.storedVersions is [${after.storedVersions.join(", ")}]`);
  if (before.conversion.strategy !== after.conversion.strategy) found.push(`conversion is ${after.conversion.strategy}`);
  if (!before.deletionTimestamp && after.deletionTimestamp) found.push("the definition is being deleted");
  return found;
}

function flagDifferences(then: CrdVersion, now: CrdVersion): string[] {
  const found: string[] = [];
  if (then.served !== now.served) found.push(`${now.name} is ${now.served ? "served" : "no longer served"}`);
  if (then.deprecated !== now.deprecated) found.push(`${now.name} is ${now.deprecated ? "deprecated" : "no longer deprecated"}`);
  if (then.customWarning !== now.customWarning) found.push(`${now.name} has a different deprecation warning`);
  return found;
}
