import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { leftoverVersions, otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { describeLosses } from "#lib/domain/losses/dry-run.ts";
import { holdsBack, type Loss } from "#lib/domain/losses/losses.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { counted, formatCount } from "#lib/domain/wording/counted.ts";
import type { VersionChange } from "./version-change.ts";

/** What objects would lose if they were written with `to` as the storage version instead of `from`. */
export interface FlipLosses {
  /** The storage version as it is; null when there is none. */
  from: string | null;
  to: string;
  /** The definition's, for which it was found out. */
  generation: number;
  /** All objects; null where they were not listed. */
  total: number | null;
  /** Objects that were looked at: all, or a random sample. */
  checked: number;
  losses: Loss[];
  /** Paths beyond those listed. */
  moreLosses: number;
  /** Why `losses` may not be all that the objects looked at would lose, with what to do; null when it is. */
  unknownBecause: string | null;
  /** RFC 3339. */
  asOf: string;
}

/** What can be seen of a flip before it is made. */
type FlipSight =
  /** No reading of objects tells, or there is nothing to tell. */
  | { kind: "blind"; unknownBecause: string | null }
  /** Objects are read at these versions and at the new storage version, to compare them; `unknownBecause` says what that does not show. */
  | { kind: "comparable"; at: string[]; unknownBecause: string | null };

/** Whether a change moves the storage flag where nothing converts: then what the new storage version does not know is dropped. */
export function flipsUnconverted(crd: Pick<Crd, "versions" | "conversion">, name: string, change: VersionChange): boolean {
  return change.storage === true && crd.conversion.strategy === "None" && storageVersion(crd)?.name !== name;
}

/** At which versions objects have to be read to see what they would lose with `to` as the storage version. */
export function flipSight(crd: Crd, to: string): FlipSight {
  const from = storageVersion(crd);
  if (from?.name === to) {
    return { kind: "blind", unknownBecause: `${to} is the storage version already. What a rewrite loses, a dry run of it tells.` };
  }
  if (crd.conversion.strategy === "Webhook") {
    return {
      kind: "blind",
      unknownBecause: `The conversion webhook decides what is kept. Once ${to} is the storage version, a dry run of a rewrite shows it, before anything is rewritten.`,
    };
  }
  const isServed = (name: string) => crd.versions.some((version) => version.name === name && version.served);
  if (!isServed(to)) {
    const unknownBecause = `${to} is not served, so how it shows an object can't be seen. Serve ${to} first, then look again.`;
    return { kind: "comparable", at: [], unknownBecause };
  }
  // What objects stored as a leftover version hold may be hidden at the storage version, and would be lost as well.
  const stored = [...(from ? [from.name] : []), ...leftoverVersions(crd)].filter((name) => name !== to);
  const at = from?.served ? stored.filter(isServed) : otherServedVersions(crd, to);
  const hidden = stored.filter((name) => !isServed(name));
  return { kind: "comparable", at, unknownBecause: hidden.length > 0 ? hiddenWords(hidden) : null };
}

function hiddenWords(hidden: readonly string[]): string {
  const names = hidden.join(", ");
  const [are, have] = hidden.length === 1 ? ["is", "has"] : ["are", "have"];
  return `${names} ${are} not served, so fields that only ${names} ${have} can't be seen. Serve ${names} again, then look again; or compare the schemas.`;
}

/** Why a flip is held back until somebody accepts what it loses, or null: fields would be lost, or it could not be found out. */
export function flipRefusal({ to, total, checked, losses, moreLosses, unknownBecause }: FlipLosses): (Refusal & { losses: Loss[] }) | null {
  const held = losses.filter(({ kind }) => holdsBack(kind));
  if (held.length > 0) {
    const more = moreLosses > 0 ? ` (and ${counted(moreLosses, "path")} that ${moreLosses === 1 ? "is" : "are"} not listed)` : "";
    const looked = `${formatCount(checked)} of ${counted(total ?? checked, "object")} looked at`;
    return {
      message: `With ${to} as the storage version ${describeLosses(held)}${more}, as soon as they are next written; ${looked}.`,
      nextStep: `Give the fields a place in the schema of ${to}, or accept that they are lost (acceptLosses).`,
      losses: held,
    };
  }
  if (unknownBecause === null) return null;
  return {
    message: `What objects would lose with ${to} as the storage version is not known. ${unknownBecause}`,
    nextStep: "Mend that, or accept losses unseen (acceptLosses).",
    losses: held,
  };
}

/** Whether all that holds a flip back was accepted: with `true` whatever it is, with paths only when it is these and everything was seen. */
export function acceptsFlip(flip: FlipLosses, accepted: true | readonly string[] | undefined): boolean {
  const held = flipRefusal(flip);
  if (held === null || accepted === true) return true;
  if (accepted === undefined || flip.moreLosses > 0 || flip.unknownBecause !== null) return false;
  return held.losses.every(({ path }) => accepted.includes(path));
}

const TOLD_PATHS = 3;
const TOLD_PATH_LENGTH = 100;

/** What was accepted with a flip, in a sentence or two for the record, of bounded length; null when there was nothing to accept. */
export function acceptedFlipSentence(flip: FlipLosses): string | null {
  const held = flipRefusal(flip)?.losses;
  if (!held) return null;
  const unseen = flip.unknownBecause === null ? [] : ["Losses that could not be seen were accepted."];
  if (held.length === 0) return unseen.join(" ");
  const told = held.slice(0, TOLD_PATHS).map(({ kind, path, objects }) => {
    const short = path.length > TOLD_PATH_LENGTH ? `${path.slice(0, TOLD_PATH_LENGTH)}…` : path;
    return `${short} ${kind === "changed" ? "changes" : "is dropped"} in ${counted(objects, "object")}`;
  });
  const rest = held.length - told.length + flip.moreLosses;
  const more = rest > 0 ? `, and ${counted(rest, "more path")}` : "";
  return [`Accepted: at the next write ${told.join(", ")}${more}.`, ...unseen].join(" ");
}
