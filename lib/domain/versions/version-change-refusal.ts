import { DROPPED_ANNOTATION } from "#lib/domain/conversion/conversion-change.ts";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import { type Crd, type CrdVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { storedVersionsProblem } from "#lib/domain/definition/stored-versions.ts";
import { doubtRefusal } from "#lib/domain/record/doubt.ts";
import { unreadableRecord } from "#lib/domain/record/unreadable-record.ts";
import { beingDeleted, engineAtWork, type Refusal, unknownVersion } from "#lib/domain/rewrite/refusals.ts";
import { firstOf, MOST_NAMED } from "#lib/domain/wording/first-of.ts";
import { type VersionChange, versionChangeSteps } from "./version-change.ts";

/**
 * Why a version's flags can't be changed this way at `now` (ms), or null. Refuses only changes that leave the definition worse off; the
 * API server reports what it refuses itself by field.
 */
export function versionChangeRefusal(crd: Crd, name: string, change: VersionChange, now: number): Refusal | null {
  const version = crd.versions.find((one) => one.name === name);
  if (!version) return notInSpec(name);
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (versionChangeSteps(crd, name, change).length === 0) {
    return { message: `${name} already has these settings.`, nextStep: "No action is needed." };
  }
  if (change.served === false) return unserveRefusal(crd, version, change);
  const unconverted = change.served && !version.served ? unconvertedRefusal(crd) : null;
  if (unconverted) return unconverted;
  const isServed = change.served ?? version.served;
  if (change.storage && !isServed) {
    return {
      message: `${name} is not served, and objects can't be rewritten while the storage version is not served.`,
      nextStep: `Serve ${name} first.`,
    };
  }
  return null;
}

/** Why a version can't be removed from spec.versions at `now` (ms), or null. */
export function removeVersionRefusal(crd: Crd, name: string, now: number): Refusal | null {
  const version = crd.versions.find((one) => one.name === name);
  if (!version) return notInSpec(name);
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (version.storage) {
    return { message: `${name} is the storage version.`, nextStep: "Make another served version the storage version, rewrite, and prune." };
  }
  if (version.served) {
    return {
      message: `${name} is still served, so clients may depend on it.`,
      nextStep: `Stop serving ${name}, and check whether anything breaks.`,
    };
  }
  if (crd.storedVersions.includes(name)) {
    return {
      message: `${name} is listed in status.storedVersions: objects may still be stored in it, and the API server would refuse the removal.`,
      nextStep: `Rewrite the objects, then prune ${name}.`,
    };
  }
  const missing = missingStoredVersions(crd, now);
  if (missing.includes(name)) {
    return {
      message: `Objects are, or may be, stored as ${name}, although status.storedVersions doesn't list it. Removing ${name} would make them unreadable.`,
      nextStep: `Repair storedVersions, then rewrite and prune ${name}.`,
    };
  }
  const untrusted = untrustedListRefusal(crd, name);
  if (untrusted) return untrusted;
  const doubt = doubtRefusal(crd, `as ${name}`, now);
  return doubt && { ...doubt, message: `${doubt.message} Removing ${name} would make them unreadable.` };
}

/** Why status.storedVersions can't tell that no object is stored in a version that it doesn't list, or null. */
export function untrustedListRefusal(crd: Crd, name: string): Refusal | null {
  const problem = storedVersionsProblem(crd, crd.storedVersions);
  if (problem === null) return null;
  return {
    message: `${problem}, so it can't be trusted: objects may be stored as ${name}. Removing ${name} would make them unreadable.`,
    nextStep: "Correct status.storedVersions by hand: list every version that objects may be stored in. Then rewrite and prune.",
  };
}

/** Why the conversion webhook can't be dropped at `now` (ms), or null. With a single version, nothing is ever converted. */
export function dropConversionRefusal(crd: Crd, now: number): Refusal | null {
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (crd.conversion.strategy === "None") return { message: "There is no conversion webhook.", nextStep: "No action is needed." };
  if (crd.versions.length > 1) {
    return {
      message: `${inWords(crd.versions.map(({ name }) => name))} are in spec.versions, and the webhook converts between them.`,
      nextStep: "Remove the versions you no longer need. If you need them all, you need the webhook too.",
    };
  }
  return null;
}

/** Why the dropped conversion webhook can't be put back at `now` (ms), or null. */
export function putBackConversionRefusal(crd: Crd, now: number): Refusal | null {
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (crd.conversion.strategy === "Webhook") return { message: "A conversion webhook is already set.", nextStep: "No action is needed." };
  return null;
}

function oneOf(names: readonly string[]): string {
  return names.length > MOST_NAMED ? "another served version" : names.join(" or ");
}

function inWords(names: readonly string[]): string {
  if (names.length > MOST_NAMED) return firstOf(names);
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Why a version can't be put back into spec.versions at `now` (ms), or null. */
export function putBackVersionRefusal(crd: Crd, name: string, now: number): Refusal | null {
  if (crd.versions.some((version) => version.name === name)) {
    return { message: `${name} is already in spec.versions.`, nextStep: "No action is needed." };
  }
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  // Nobody can remove the annotation until a version that the list names is back.
  const unreadable = unknownVersion(crd) ? null : unreadableRecord(crd);
  return unreadable ?? unconvertedRefusal(crd);
}

// The first client that writes an object at the other version would drop the fields its schema lacks.
function unconvertedRefusal(crd: Crd): Refusal | null {
  if (crd.conversion.strategy === "Webhook" || crd.droppedConversion === null) return null;
  return {
    message: `The conversion webhook at ${crd.droppedConversion.target} was dropped: with two versions and no conversion, a write at one version drops fields that only the other's schema has.`,
    nextStep:
      "Put the webhook back first. If the schemas have the same fields, discard it instead: " +
      `kubectl annotate customresourcedefinition ${crd.name} ${DROPPED_ANNOTATION}-`,
  };
}

// A change would void the proof of an active engine; a definition that is being deleted or can't be written stays as it is.
function specChangeRefusal(crd: Crd, now: number): Refusal | null {
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  return unreadableRecord(crd) ?? unknownVersion(crd);
}

function unserveRefusal(crd: Crd, version: CrdVersion, change: VersionChange): Refusal | null {
  if (change.storage || version.storage) {
    const others = crd.versions.filter((other) => other.served && other.name !== version.name).map((other) => other.name);
    return {
      message: `${version.name} ${change.storage ? "would be" : "is"} the storage version; no object can be rewritten while it is not served.`,
      nextStep: others.length > 0 ? `Make ${oneOf(others)} the storage version first.` : "Serve another version first.",
    };
  }
  const storage = storageVersion(crd);
  if (storage && !storage.served && !crd.versions.some((other) => other.served && other.name !== version.name)) {
    return { message: `${version.name} is the last served version.`, nextStep: "Serve another version first." };
  }
  return null;
}

function notInSpec(name: string): Refusal {
  return { message: `${name} is not in spec.versions.`, nextStep: "Reload the page; it may have been removed." };
}
