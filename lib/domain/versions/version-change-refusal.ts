import { DROPPED_ANNOTATION } from "#lib/domain/conversion/conversion-change.ts";
import { missingStoredVersions } from "#lib/domain/definition/contradiction.ts";
import { type Crd, type CrdVersion, storageVersion } from "#lib/domain/definition/crd.ts";
import { beingDeleted, engineAtWork, type Refusal, unknownVersion } from "#lib/domain/rewrite/refusals.ts";
import { type VersionChange, versionChangeSteps } from "./version-change.ts";

/**
 * Why a version's flags can't be changed so at `now` (ms), or null. Only what would leave the definition worse off is refused; what
 * the API server refuses by itself it says at the field.
 */
export function versionChangeRefusal(crd: Crd, name: string, change: VersionChange, now: number): Refusal | null {
  const version = crd.versions.find((one) => one.name === name);
  if (!version) return notInSpec(name);
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (versionChangeSteps(crd, name, change).length === 0) {
    return { message: `${name} is that already.`, nextStep: "Nothing is left to do here." };
  }
  if (change.served === false) return unserveRefusal(crd, version, change);
  const unconverted = change.served && !version.served ? unconvertedRefusal(crd) : null;
  if (unconverted) return unconverted;
  const isServed = change.served ?? version.served;
  if (change.storage && !isServed) {
    return {
      message: `${name} is not served, and objects that are stored as a version that is not served can't be rewritten.`,
      nextStep: `Serve ${name} first.`,
    };
  }
  return null;
}

/** Why a version can't be taken out of spec.versions at `now` (ms), or null. */
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
      nextStep: `Stop serving ${name}, and look whether anything breaks.`,
    };
  }
  if (crd.storedVersions.includes(name)) {
    return {
      message: `${name} is listed in status.storedVersions: objects may still be stored in it, and the API server would refuse.`,
      nextStep: `Rewrite the objects, then prune ${name}.`,
    };
  }
  const missing = missingStoredVersions(crd, now);
  if (missing.includes(name)) {
    return {
      message: `Objects are or may be stored as ${name}, though status.storedVersions does not list it: they could not be read any more.`,
      nextStep: `Put ${name} back into status.storedVersions, then rewrite and prune.`,
    };
  }
  return null;
}

/** Why the conversion webhook can't be dropped at `now` (ms), or null. With a single version nothing is ever converted. */
export function dropConversionRefusal(crd: Crd, now: number): Refusal | null {
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (crd.conversion.strategy === "None") return { message: "There is no conversion webhook.", nextStep: "Nothing is left to do here." };
  if (crd.versions.length > 1) {
    return {
      message: `${inWords(crd.versions.map(({ name }) => name))} are in spec.versions, and the webhook converts between them.`,
      nextStep: "Remove the versions that nobody needs any more. Where all are needed, so is the webhook.",
    };
  }
  return null;
}

/** Why the conversion webhook that was dropped can't be put back at `now` (ms), or null. */
export function putBackConversionRefusal(crd: Crd, now: number): Refusal | null {
  const general = specChangeRefusal(crd, now);
  if (general) return general;
  if (crd.conversion.strategy === "Webhook") return { message: "There is a conversion webhook.", nextStep: "Nothing is left to do here." };
  return null;
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Why a version can't be put back into spec.versions at `now` (ms), or null. */
export function putBackVersionRefusal(crd: Crd, name: string, now: number): Refusal | null {
  if (crd.versions.some((version) => version.name === name)) {
    return { message: `${name} is in spec.versions already.`, nextStep: "Nothing is left to do here." };
  }
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  return unconvertedRefusal(crd);
}

// What an object has that the other version's schema does not know would be dropped by the first client that writes it there.
function unconvertedRefusal(crd: Crd): Refusal | null {
  if (crd.conversion.strategy === "Webhook" || crd.droppedConversion === null) return null;
  return {
    message: `The conversion webhook at ${crd.droppedConversion.target} was dropped: with two versions and no conversion, writes at one drop what only the other's schema knows.`,
    nextStep:
      "Put the webhook back first. Or, where the schemas know the same fields, forget it: " +
      `kubectl annotate customresourcedefinition ${crd.name} ${DROPPED_ANNOTATION}-`,
  };
}

// While an engine is at work its proof would be void with the change; a definition that is going, or can't be written, is left alone.
function specChangeRefusal(crd: Crd, now: number): Refusal | null {
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  return unknownVersion(crd);
}

function unserveRefusal(crd: Crd, version: CrdVersion, change: VersionChange): Refusal | null {
  if (change.storage || version.storage) {
    const others = crd.versions.filter((other) => other.served && other.name !== version.name).map((other) => other.name);
    return {
      message: `${version.name} is ${change.storage ? "to be " : ""}the storage version; no object could be rewritten while it is not served.`,
      nextStep: others.length > 0 ? `Make ${others.join(" or ")} the storage version first.` : "Serve another version first.",
    };
  }
  const storage = storageVersion(crd);
  if (storage && !storage.served && !crd.versions.some((other) => other.served && other.name !== version.name)) {
    return { message: `${version.name} is the last version that is served.`, nextStep: "Serve another version first." };
  }
  return null;
}

function notInSpec(name: string): Refusal {
  return { message: `${name} is not in spec.versions.`, nextStep: "Reload; somebody may have removed it." };
}
