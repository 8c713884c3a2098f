import type { Proof } from "#lib/domain/record/rewrite-record.ts";
import { proofFault, recordedProof } from "#lib/domain/record/valid-evidence.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";
import { withoutPeriod } from "#lib/domain/wording/without-period.ts";
import type { BrokenApplies } from "./broken-applies.ts";
import type { Crd } from "./crd.ts";
import { leftoverVersions } from "./stored-versions.ts";

// Why a definition is in its state (crd-state.ts), as sentences for people.

export function needsRewriteReason(crd: Crd, total: number | null, names: string, lastPhase: string | null): string {
  const record = crd.record === "unreadable" ? null : crd.record;
  const claim = recordedProof(crd);
  const change = record?.proof ? proofFault(crd, record.proof) : null;
  if (lastPhase === "interrupted") return "A rewrite was interrupted. Resume it to continue where it stopped.";
  if (claim) {
    const objects = formatCountOf(total ?? claim.objects, "object");
    return `A proof that this crdshift didn't make covers ${objects}, too many for a prune to verify. Rewrite them here first.`;
  }
  if (change) return `The earlier proof no longer holds: ${change}.`;
  if (lastPhase === "cancelled") return `The last rewrite was cancelled; objects may still be stored as ${names}.`;
  const [are, them] = leftoverVersions(crd).length === 1 ? ["is", "it"] : ["are", "them"];
  if (total === 0) return `No objects, but ${names} ${are} still listed. A quick rewrite proves that no object needs ${them}.`;
  return total === null
    ? `Objects may still be stored as ${names}.`
    : `Up to ${formatCountOf(total, "object")} may still be stored as ${names}.`;
}

export function prunedUnprovenReason(versions: readonly string[]): string {
  const [names, it] = [namesOf(versions), versions.length === 1 ? "it" : "them"];
  return (
    "The cluster's own StorageVersionMigration didn't succeed, but may have shortened status.storedVersions: objects may still be stored " +
    `as ${names}, yet the API server would let you drop ${it}. Repair storedVersions, then rewrite.`
  );
}

export function shrankReason(versions: readonly string[]): string {
  const [names, was] = [namesOf(versions), versions.length === 1 ? "was" : "were"];
  return `${names} ${was} removed from status.storedVersions without a proof, so objects may still be stored as ${names}. Repair storedVersions, then rewrite.`;
}

export function currentReason(proof: Proof | null, storage: string): string {
  return proof
    ? `${formatCountOf(proof.objects, "object")} proven to be stored as ${storage}.`
    : `Only ${storage} is listed (not verified).`;
}

export function lostReason(version: string): string {
  return (
    `An object is stored as ${version}, which spec.versions doesn't have, so no object can be listed. ` +
    `Put ${version} back into spec.versions, then rewrite with every object verified.`
  );
}

export function conversionReason(failure: string, { phase }: Run): string {
  const meanwhile = phase === "paused" ? "A rewrite is paused meanwhile." : "A rewrite waits for it.";
  return `Objects can't be converted: ${withoutPeriod(failure)}. ${meanwhile}`;
}

export function brokenReason({ versions, objects, atLeast }: BrokenApplies): string {
  const [which, are] = [formatCountOf(objects, "object"), versions.length === 1 ? "which is" : "which are"];
  return `Server-side apply fails for ${atLeast ? "at least " : ""}${which}: ${objects === 1 ? "its" : "their"} managedFields name ${namesOf(versions)}, ${are} gone.`;
}

/** What a run does, and why the objects' last count failed on conversion, if it did. */
export function runningReason({ phase, storageVersion }: Run, conversionFailure: string | null): string {
  const doing = doingIn(phase, storageVersion);
  return conversionFailure === null ? doing : `${doing} Not all objects can be converted: ${withoutPeriod(conversionFailure)}.`;
}

function doingIn(phase: Run["phase"], version: string): string {
  if (phase === "settling") return "Waiting until no request can still be stored at an older version.";
  if (phase === "verifying") return `Verifying that every object is stored as ${version}.`;
  if (phase === "paused") return "The rewrite is paused.";
  return `Rewriting objects to ${version}.`;
}

const MAX_NAMES = 4;

/** Up to four versions by name. */
export function namesOf(versions: readonly string[]): string {
  return firstOf(versions, MAX_NAMES);
}
