import { type Crd, type CrdVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import type { PlainPatchStep } from "./patch-step.ts";

/** Changes to one version; omitted fields stay. */
export interface VersionChange {
  served?: boolean | undefined;
  /** Makes it the storage version in place of the current one. */
  storage?: true | undefined;
  deprecated?: boolean | undefined;
  /** The custom text; null restores the API server's default. */
  deprecationWarning?: string | null | undefined;
}

/** spec.versions after the change. Clears the custom text of a version that is no longer deprecated, which the API server would refuse. */
export function changedVersions(crd: Pick<Crd, "versions">, name: string, change: VersionChange): CrdVersion[] {
  return crd.versions.map((version) => changedVersion(version, name, change));
}

function changedVersion(version: CrdVersion, name: string, change: VersionChange): CrdVersion {
  if (version.name !== name) return change.storage && version.storage ? { ...version, storage: false } : version;
  const { served = version.served, deprecated = version.deprecated, deprecationWarning = version.customWarning } = change;
  const customWarning = change.deprecated === false && change.deprecationWarning === undefined ? null : deprecationWarning;
  return { ...version, served, deprecated, customWarning, storage: change.storage ?? version.storage };
}

/** The steps for exactly this change; empty without a change. Each addresses a version by index, and tests that index. */
export function versionChangeSteps(crd: Pick<Crd, "versions">, name: string, change: VersionChange): PlainPatchStep[] {
  const steps: PlainPatchStep[] = [];
  crd.versions.forEach((version, index) => {
    const then = changedVersion(version, name, change);
    const changes = then === version ? [] : flagSteps(version, then, `/spec/versions/${index}`);
    if (changes.length > 0) steps.push(nameTest(index, version.name), ...changes);
  });
  return steps;
}

/** The steps that remove a version from spec.versions; empty when it is not there. */
export function removeVersionSteps(crd: Pick<Crd, "versions">, name: string): PlainPatchStep[] {
  const index = crd.versions.findIndex((version) => version.name === name);
  return index < 0 ? [] : [nameTest(index, name), { op: "remove", path: `/spec/versions/${index}` }];
}

function nameTest(index: number, name: string): PlainPatchStep {
  return { op: "test", path: `/spec/versions/${index}/name`, value: name };
}

function flagSteps(before: CrdVersion, after: CrdVersion, path: string): PlainPatchStep[] {
  const steps: PlainPatchStep[] = [];
  if (before.served !== after.served) steps.push({ op: "replace", path: `${path}/served`, value: after.served });
  if (before.storage !== after.storage) steps.push({ op: "replace", path: `${path}/storage`, value: after.storage });
  // The API server omits unset fields, so a replace would find nothing.
  if (before.deprecated !== after.deprecated) {
    steps.push(after.deprecated ? { op: "add", path: `${path}/deprecated`, value: true } : { op: "remove", path: `${path}/deprecated` });
  }
  if (before.customWarning !== after.customWarning) {
    const warning = `${path}/deprecationWarning`;
    steps.push(after.customWarning === null ? { op: "remove", path: warning } : { op: "add", path: warning, value: after.customWarning });
  }
  return steps;
}

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
    found.push(`status.storedVersions is [${firstOf(after.storedVersions)}]`);
  if (before.conversion.strategy !== after.conversion.strategy) found.push(`conversion is ${after.conversion.strategy}`);
  if (!before.deletionTimestamp && after.deletionTimestamp) found.push("the definition is being deleted");
  const isOtherwise = found.length === 0 && before.generation !== after.generation;
  return isOtherwise ? ["its spec changed otherwise, such as a schema or the webhook's settings"] : found;
}

function flagDifferences(then: CrdVersion, now: CrdVersion): string[] {
  const found: string[] = [];
  if (then.served !== now.served) found.push(`${now.name} is ${now.served ? "served" : "no longer served"}`);
  if (then.deprecated !== now.deprecated) found.push(`${now.name} is ${now.deprecated ? "deprecated" : "no longer deprecated"}`);
  if (then.customWarning !== now.customWarning) found.push(`${now.name} has a different deprecation warning`);
  return found;
}
