import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import { leftoverVersions, otherServedVersions } from "#lib/domain/definition/stored-versions.ts";
import { describeLosses, holdsBack, type Loss } from "#lib/domain/losses/losses.ts";
import type { Refusal } from "#lib/domain/rewrite/refusals.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCount, formatCountOf } from "#lib/domain/wording/format-count.ts";
import type { VersionChange } from "./version-change.ts";

/** What objects would lose when written with `to` as the storage version instead of `from`. */
export interface FlipLosses {
  /** The current storage version; null when there is none. */
  from: string | null;
  to: string;
  /** The definition's generation at the check. */
  generation: number;
  /** All objects; null when not listed. */
  total: number | null;
  /** Objects checked: all, or a sample, which is the same at each check of a spec. */
  checked: number;
  /** Also of earlier checks of this spec, until all objects were tried without them. */
  losses: Loss[];
  /** Paths beyond those listed. */
  moreLosses: number;
  /** Why `losses` may be incomplete for the checked objects, and what to do; null when complete. */
  unknownBecause: string | null;
  /** RFC 3339. */
  asOf: string;
}

/** What can be known about a flip before it happens. */
type FlipSight =
  /** Reading objects would not help, or there is nothing to find. */
  | { kind: "blind"; unknownBecause: string | null }
  /** Compares objects at these versions with the new storage version; `unknownBecause` says what that doesn't show. */
  | { kind: "comparable"; at: string[]; unknownBecause: string | null };

/** Whether a change moves the storage flag without conversion, which drops fields that the new storage version lacks. */
export function flipsUnconverted(crd: Pick<Crd, "versions" | "conversion">, name: string, change: VersionChange): boolean {
  return change.storage === true && crd.conversion.strategy === "None" && storageVersion(crd)?.name !== name;
}

/** The versions at which to read objects to see what they would lose with `to` as the storage version. */
export function flipSight(crd: Crd, to: string): FlipSight {
  const from = storageVersion(crd);
  if (from?.name === to) {
    return { kind: "blind", unknownBecause: `${to} is already the storage version. Start a dry run to see what a rewrite would lose.` };
  }
  if (crd.conversion.strategy === "Webhook") {
    return {
      kind: "blind",
      unknownBecause: `The conversion webhook decides what is kept. Once ${to} is the storage version, start a dry run to see it before you rewrite anything.`,
    };
  }
  const served = new Set(crd.versions.filter((version) => version.served).map(({ name }) => name));
  const isServed = (name: string) => served.has(name);
  if (!isServed(to)) {
    const unknownBecause = `${to} is not served, so crdshift can't see how objects look at ${to}. Serve ${to} first, then check again.`;
    return { kind: "comparable", at: [], unknownBecause };
  }
  // The storage version may hide fields of objects stored at a leftover version; those would be lost too.
  const stored = [...(from ? [from.name] : []), ...leftoverVersions(crd)].filter((name) => name !== to);
  const at = from?.served ? stored.filter(isServed) : otherServedVersions(crd, to);
  const hidden = stored.filter((name) => !isServed(name));
  return { kind: "comparable", at, unknownBecause: hidden.length > 0 ? hiddenWords(hidden) : null };
}

function hiddenWords(hidden: readonly string[]): string {
  const names = firstOf(hidden);
  const [are, have] = hidden.length === 1 ? ["is", "has"] : ["are", "have"];
  return `${names} ${are} not served, so fields that only ${names} ${have} can't be seen. Serve ${names} again, then check again, or compare the schemas.`;
}

/** Why a flip is held back until its losses are accepted: fields would be lost, or losses are unknown. Null otherwise. */
export function flipRefusal({ to, total, checked, losses, moreLosses, unknownBecause }: FlipLosses): (Refusal & { losses: Loss[] }) | null {
  const held = losses.filter(({ kind }) => holdsBack(kind));
  if (held.length > 0) {
    const looked = `${formatCount(checked)} of ${formatCountOf(total ?? checked, "object")} checked`;
    const unknown = unknownBecause === null ? "" : ` crdshift can't tell what else objects would lose. ${unknownBecause}`;
    // A list of paths accepts no others.
    const unlisted = unknown === "" && moreLosses === 0 ? "" : " To accept the others unseen, too, set acceptLosses: true.";
    return {
      message: `With ${to} as the storage version, at the next write ${describeLosses(held, moreLosses, null)}; ${looked}.${unknown}`,
      nextStep: `Add the fields to the schema of ${to}, or accept the losses (acceptLosses).${unlisted}`,
      losses: held,
    };
  }
  if (unknownBecause === null) return null;
  return {
    message: `crdshift can't tell what objects would lose with ${to} as the storage version. ${unknownBecause}`,
    nextStep: "Fix that, or accept unseen losses (acceptLosses: true).",
    losses: held,
  };
}

/** Whether everything that holds a flip back was accepted: `true` accepts all; paths must cover all losses, with none unknown. */
export function acceptsFlip(flip: FlipLosses, accepted: true | readonly string[] | undefined): boolean {
  const held = flipRefusal(flip);
  if (held === null || accepted === true) return true;
  if (accepted === undefined || flip.moreLosses > 0 || flip.unknownBecause !== null) return false;
  const paths = new Set(accepted);
  return held.losses.every(({ path }) => paths.has(path));
}

/** How many objects were tried, if not all: for the record and the answer. Null if all were, or if none could be listed. */
export function flipSampleSentence({ total, checked }: FlipLosses): string | null {
  return total === null || checked >= total ? null : `${formatCount(checked)} of ${formatCountOf(total, "object")} checked.`;
}

const TOLD_PATHS = 3;
const TOLD_PATH_LENGTH = 100;

/** What was accepted with a flip, in one or two sentences of bounded length for the record; null when nothing needed accepting. */
export function acceptedFlipSentence(flip: FlipLosses): string | null {
  const held = flipRefusal(flip)?.losses;
  if (!held) return null;
  const unseen = flip.unknownBecause === null ? [] : ["Unseen losses were accepted."];
  if (held.length === 0) return unseen.join(" ");
  const told = held.slice(0, TOLD_PATHS).map(({ kind, path, objects }) => {
    const short = path.length > TOLD_PATH_LENGTH ? `${path.slice(0, TOLD_PATH_LENGTH)}…` : path;
    return `${short} ${kind === "changed" ? "changes" : "is dropped"} in ${formatCountOf(objects, "object")}`;
  });
  const rest = held.length - told.length + flip.moreLosses;
  const more = rest > 0 ? `, and ${formatCountOf(rest, "other path is", "other paths are")} affected` : "";
  return [`Accepted: at the next write, ${told.join(", ")}${more}.`, ...unseen].join(" ");
}
