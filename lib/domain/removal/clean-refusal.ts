import type { Crd } from "#lib/domain/definition/crd.ts";
import { unseenVersions } from "#lib/domain/definition/stored-versions.ts";
import { mayCarryOver } from "#lib/domain/objects/managed-fields.ts";
import { objectWriteRefusal, type Refusal } from "#lib/domain/rewrite/refusals.ts";
import { removeVersionRefusal } from "#lib/domain/versions/version-change-refusal.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";

/**
 * Why managedFields entries of a version other than the storage version can't be cleaned at `now` (ms), or null. Under a conversion
 * webhook, the API server translates entries of a version in the spec, which is worth more than a relabeled entry, so they are cleaned
 * only once the version is pruned, and while it is served, so that an object's fields can be compared. They are cleaned before the removal,
 * not after: once the version is gone, every server-side apply to their objects fails, and up to Kubernetes 1.36 every other write empties
 * their managedFields.
 */
export function cleanRefusal(crd: Crd, name: string, now: number): Refusal | null {
  return cleanRefusals(crd, now)(name);
}

/** The same for several versions, for each of which all others would otherwise be looked at again. */
export function cleanRefusals(crd: Crd, now: number): (name: string) => Refusal | null {
  const general = objectWriteRefusal(crd, now);
  if (general) return () => general;
  const unseen = unseenVersions(crd);
  return (name) => refusalOf(crd, name, unseen, now);
}

function refusalOf(crd: Crd, name: string, unseen: readonly string[], now: number): Refusal | null {
  const inTheWay = mayCarryOver(crd, name) ? null : removeVersionRefusal(unserved(crd, name), name, now);
  if (inTheWay) {
    return {
      message: `The API server translates entries of ${name} itself, through the conversion webhook, so they are harmless for now.`,
      nextStep: `Clean them before you remove ${name}. First: ${inTheWay.nextStep}`,
    };
  }
  const known = crd.versions.find((version) => version.name === name);
  if (unseen.length === 0 && known && !known.served && !mayCarryOver(crd, name)) {
    return {
      message: `The conversion webhook may rename fields, and crdshift can't see those that entries of ${name} own while ${name} isn't served.`,
      nextStep: `Serve ${name} until the entries are cleaned.`,
    };
  }
  if (unseen.length === 0) return null;
  return {
    message: `Cleaning stores whole objects again, and crdshift can't see what those stored as ${firstOf(unseen)} would lose.`,
    nextStep: `Serve ${firstOf(unseen)} until the entries are cleaned. Or run a rewrite first: once it is proven, nothing more can be lost.`,
  };
}

// Serving it is no obstacle: only what is stored counts, and losses are visible only while it is served.
function unserved(crd: Crd, name: string): Crd {
  return { ...crd, versions: crd.versions.map((version) => (version.name === name ? { ...version, served: false } : version)) };
}
