import { type Crd, type CrdVersion, deprecationWarning, preferredVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { validProof } from "#lib/domain/rewrite/run.ts";
import { changedVersions, type VersionChange } from "./version-change.ts";

/**
 * What a change of a version's flags brings about, a sentence each, the gravest first.
 * Source: kubernetes.io, "Versions in CustomResourceDefinitions".
 */
export function versionChangeEffects(crd: Crd, name: string, change: VersionChange): string[] {
  const after = { ...crd, versions: changedVersions(crd, name, change) };
  const [then, now] = [crd, after].map(({ versions }) => versions.find((version) => version.name === name));
  if (!then || !now) return [];
  return [
    ...servedEffects(crd, then, now),
    ...storageEffects(crd, after),
    ...warningEffects(crd, after, then, now),
    ...preferenceEffects(crd, after),
    ...specEffects(crd),
  ];
}

function servedEffects(crd: Crd, { name, served }: CrdVersion, now: CrdVersion): string[] {
  if (served === now.served) return [];
  if (now.served) return [`Clients can read and write ${crd.plural} as ${name} again.`];
  const blind = leftoverVersions(crd).includes(name)
    ? [`What a rewrite would drop of objects stored as ${name} can't be seen any more while it is not served.`]
    : [];
  return [`Requests at ${crd.group}/${name} are answered with 404: clients that still use ${name} fail.`, ...blind];
}

function storageEffects(crd: Crd, after: Crd): string[] {
  const [then, now] = [storageVersion(crd)?.name, storageVersion(after)?.name];
  if (then === now || !now) return [];
  const pruned = `Conversion is None: what the schema of ${now} does not know is no longer stored, at whichever version it is written.`;
  return [
    `From then on objects are stored as ${now} when they are written; those that nobody writes stay stored as ${then ?? "they are"}, until a rewrite.`,
    `${now} joins status.storedVersions, and ${then ?? "no version"} stays in it until it is pruned.`,
    ...(crd.conversion.strategy === "None" ? [pruned] : []),
  ];
}

function warningEffects(crd: Crd, after: Crd, then: CrdVersion, now: CrdVersion): string[] {
  const [before, text] = [deprecationWarning(crd, then), deprecationWarning(after, now)];
  if (before === text) return [];
  return [text === null ? `Clients of ${now.name} get no warning any more.` : `Clients of ${now.name} get the warning “${text}”.`];
}

function preferenceEffects(crd: Crd, after: Crd): string[] {
  const [then, now] = [preferredVersion(crd)?.name, preferredVersion(after)?.name];
  return then === now
    ? []
    : [`Discovery prefers ${now ?? "no version"} instead of ${then ?? "none"}: kubectl uses it where no version is named.`];
}

// The API server tears the storage of every version down with each change of the spec.
function specEffects(crd: Crd): string[] {
  const proof = validProof(crd);
  return [
    `Every watch on ${crd.plural} is closed, at all versions; clients list and watch again.`,
    ...(proof ? ["The proof is void with the new generation; the next rewrite skips what it proved and takes a moment."] : []),
  ];
}

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
