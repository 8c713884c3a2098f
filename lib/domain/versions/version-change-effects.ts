import type { ActionKind } from "#lib/domain/audit/action.ts";
import { type Crd, type CrdVersion, deprecationWarning, preferredVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { leftoverVersions } from "#lib/domain/definition/stored-versions.ts";
import { recordedProof } from "#lib/domain/record/valid-evidence.ts";
import { changedVersions, type VersionChange } from "./version-change.ts";

/**
 * The effects of a change to a version's flags, one sentence each, most severe first.
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
    ? [`While ${name} is not served, you can't see what a rewrite would drop from objects stored as ${name}.`]
    : [];
  return [`Requests to ${crd.group}/${name} return 404, so clients that still use ${name} fail.`, ...blind];
}

function storageEffects(crd: Crd, after: Crd): string[] {
  const [then, now] = [storageVersion(crd)?.name, storageVersion(after)?.name];
  if (then === now || !now) return [];
  const listed = crd.storedVersions.includes(now)
    ? `status.storedVersions already lists ${now}`
    : `${now} is added to status.storedVersions`;
  const pruned = `Conversion is None: fields missing from the schema of ${now} are no longer stored, whichever version a client writes.`;
  return [
    `Objects are stored as ${now} from their next write; the others stay stored as ${then ?? "they are"} until a rewrite.`,
    `${listed}; ${then ?? "no version"} stays listed until it is pruned.`,
    ...(crd.conversion.strategy === "None" ? [pruned] : []),
  ];
}

function warningEffects(crd: Crd, after: Crd, then: CrdVersion, now: CrdVersion): string[] {
  const [before, text] = [deprecationWarning(crd, then), deprecationWarning(after, now)];
  if (before === text) return [];
  return [text === null ? `Clients of ${now.name} no longer get a warning.` : `Clients of ${now.name} get the warning “${text}”.`];
}

function preferenceEffects(crd: Crd, after: Crd): string[] {
  const [then, now] = [preferredVersion(crd)?.name, preferredVersion(after)?.name];
  return then === now
    ? []
    : [`Discovery prefers ${now ?? "no version"} instead of ${then ?? "none"}; kubectl uses it when you name no version.`];
}

// The API server tears down the storage of every version on each spec change.
function specEffects(crd: Crd): string[] {
  const proof = recordedProof(crd);
  return [
    `Every watch on ${crd.plural} closes, at all versions; clients list and watch again.`,
    ...(proof ? ["The new generation voids the proof; the next rewrite patches every object again."] : []),
  ];
}

/** What a change to a version's flags is recorded as: a removal has a step for two kinds of it. */
export function versionChangeKind(crd: Pick<Crd, "versions">, name: string, change: VersionChange): ActionKind {
  const before = crd.versions.find((version) => version.name === name);
  const after = changedVersions(crd, name, change).find((version) => version.name === name);
  if (before?.served && !after?.served) return "unserved";
  return !before?.deprecated && after?.deprecated ? "deprecated" : "changed";
}

/** What a change to a version's flags did, as one sentence for the record. */
export function versionChangeSentence(crd: Pick<Crd, "versions">, name: string, change: VersionChange): string {
  const before = crd.versions.find((version) => version.name === name);
  const after = changedVersions(crd, name, change).find((version) => version.name === name);
  if (!before || !after) return `${name} was changed.`;
  const done: string[] = [];
  if (before.served !== after.served) done.push(after.served ? "is served" : "is no longer served");
  if (!before.storage && after.storage) done.push(`is the storage version instead of ${storageVersion(crd)?.name ?? "none"}`);
  if (before.deprecated !== after.deprecated) done.push(after.deprecated ? "is deprecated" : "is no longer deprecated");
  if (before.customWarning !== after.customWarning) {
    done.push(after.customWarning === null ? "has the default warning" : `warns with “${after.customWarning}”`);
  }
  return `${name} ${done.join(", and ")}.`;
}
