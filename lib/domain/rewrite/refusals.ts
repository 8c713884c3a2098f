import { contradictionOf, contradictionReason, contradictionRepair } from "#lib/domain/definition/contradiction.ts";
import { type Crd, hasCondition, storageVersion } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import { leftoverVersions, storedVersionsProblem, unknownStoredVersion } from "#lib/domain/definition/stored-versions.ts";
import { clockTime } from "#lib/domain/wording/counted.ts";
import { type Migration, migrationAtWork } from "./migration.ts";
import { identityChange, isLive, latestRun, type Run, readableRecord } from "./run.ts";

/** Why an action is not taken: what stands in the way, and what to do. */
export interface Refusal {
  message: string;
  nextStep: string;
  /** The run in the way, where one is. */
  run?: Run;
}

/** Of a definition that is going nothing can be changed any more. */
export const beingDeleted: Refusal = {
  message: "The definition is being deleted.",
  nextStep: "See its conditions for what holds the deletion.",
};

/** Why no rewrite can start on this CRD at `now` (ms), or go on as the run `resumed`; or null. */
export function rewriteRefusal(crd: Crd, now: number, resumed: string | null = null): Refusal | null {
  const storage = storageVersion(crd);
  const atWork = engineAtWork(crd, now, resumed);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (!storage) return { message: "No version has storage: true.", nextStep: "Mark one version as the storage version." };
  if (!storage.served) {
    return {
      message: `The storage version ${storage.name} is not served; patching through another version would drop what that version doesn't know.`,
      nextStep: `Serve ${storage.name}, or make a served version the storage version.`,
    };
  }
  const unwritable = unwritableRecord(crd);
  if (unwritable) return unwritable;
  if (!hasCondition(crd, "Established")) {
    return {
      message: "The definition is not Established.",
      nextStep: "Look at its conditions; its names may collide with another definition's.",
    };
  }
  return null;
}

/** Why stored versions can't be pruned at `now` (ms), or null. */
export function pruneRefusal(crd: Crd, now: number): Refusal | null {
  const leftovers = leftoverVersions(crd);
  const proof = readableRecord(crd)?.proof ?? null;
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (leftovers.length === 0) {
    return {
      message: "There is nothing to prune: storedVersions holds no version but the storage version.",
      nextStep: "Nothing is left to do here.",
    };
  }
  const unwritable = unwritableRecord(crd);
  if (unwritable) return unwritable;
  if (!proof) {
    return {
      message: `Nothing proves that no object is stored as ${leftovers.join(", ")} any more.`,
      nextStep: wayToProof(crd, now) ?? "Run a rewrite; it ends in a proof when no object was rejected.",
    };
  }
  const change = identityChange(crd, proof);
  if (change) {
    return {
      message: `The proof no longer holds: ${change}. Objects may have been stored at another version since.`,
      nextStep: wayToProof(crd, now) ?? "Run the rewrite again; it skips what is proven and takes a moment.",
    };
  }
  const contradiction = contradictionOf(crd);
  if (contradiction) {
    return {
      message: `By a count at ${clockTime(contradiction.asOf, now)}, ${contradictionReason(contradiction)}.`,
      nextStep: contradictionRepair(crd, contradiction),
    };
  }
  const problem = storedVersionsProblem(crd, prunedStoredVersions(crd));
  return problem ? { message: `The list would be wrong: ${problem}.`, nextStep: "Correct status.storedVersions by hand." } : null;
}

// What must be done before a rewrite can end in a proof; null when it only has to be run.
function wayToProof(crd: Crd, now: number): string | null {
  const refusal = rewriteRefusal(crd, now);
  if (refusal) return `No rewrite can prove it now. ${refusal.message} ${refusal.nextStep}`;
  const run = latestRun(crd, now);
  if (run?.phase !== "blocked") return null;
  if (run.heldBackBecause !== null)
    return "Accept the losses that held the last rewrite back, or mend what causes them; then run it again.";
  return "Mend what the last rewrite had rejected, then run it again; it ends in a proof when no object is rejected.";
}

/** Why these versions can't be put back into stored versions, or null. */
export function restoreRefusal(crd: Crd, versions: readonly string[], now: number): Refusal | null {
  const unknown = versions.find((version) => !crd.versions.some(({ name }) => name === version));
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (unknown !== undefined) {
    return { message: `${unknown} is not in spec.versions any more.`, nextStep: `Put ${unknown} back into spec.versions first.` };
  }
  if (versions.every((version) => crd.storedVersions.includes(version))) {
    return { message: "These versions are stored versions already.", nextStep: "Nothing is left to do here." };
  }
  const problem = storedVersionsProblem(crd, restoredStoredVersions(crd, versions));
  return problem ? { message: `The list would be wrong: ${problem}.`, nextStep: "Correct status.storedVersions by hand." } : null;
}

/** status.storedVersions after a prune. */
export function prunedStoredVersions(crd: Pick<Crd, "versions">): string[] {
  const storage = storageVersion(crd);
  return storage ? [storage.name] : [];
}

/** status.storedVersions with the versions put back: each once, older entries first. */
export function restoredStoredVersions(crd: Pick<Crd, "storedVersions">, versions: readonly string[]): string[] {
  return [...new Set([...versions, ...crd.storedVersions])];
}

// The annotation that a rewrite and a prune begin with could not be written, or would overwrite what somebody else wrote.
function unwritableRecord(crd: Crd): Refusal | null {
  if (crd.record === "unreadable") {
    return {
      message: "The annotation crdshift.dev/rewrite holds something that this crdshift can't read; a newer one may be at work.",
      nextStep: `If none is, remove it: kubectl annotate customresourcedefinition ${crd.name} crdshift.dev/rewrite-`,
    };
  }
  return unknownVersion(crd);
}

/** Why no change of the definition would be taken by the API server, with the repair; or null. */
export function unknownVersion(crd: Crd): Refusal | null {
  const unknown = unknownStoredVersion(crd, crd.storedVersions);
  if (unknown === null) return null;
  const repaired = JSON.stringify({ status: { storedVersions: crd.storedVersions.filter((stored) => stored !== unknown) } });
  return {
    message: `status.storedVersions names ${unknown}, which spec.versions does not have, so the API server refuses every change of the definition.`,
    nextStep:
      `Put ${unknown} back into spec.versions, or, if it was never a storage version: ` +
      `kubectl patch customresourcedefinition ${crd.name} --subresource=status --type=merge -p '${repaired}'`,
  };
}

// Nobody can stop another engine, and the cluster's own tries some errors for ever.
function wayPastEngine(migration: Migration | null): string {
  const wait = "Wait until it has ended; crdshift interferes with no other engine.";
  if (!migration) return wait;
  const kind = `storageversionmigrations.${migration.engine === "in-tree" ? "storagemigration.k8s.io" : "migration.k8s.io"}`;
  return `${wait} One that never ends can be taken away, though its controller may go on for a while: kubectl delete ${kind} ${migration.name}`;
}

/** Why nobody may begin now: a run, or another engine, is at work at `now` (ms); or null. */
export function engineAtWork(crd: Crd, now: number, resumed: string | null = null): Refusal | null {
  const run = latestRun(crd, now);
  if (run && isLive(run)) {
    const message = `A rewrite is at work, started at ${clockTime(run.startedAt, now)} by ${run.startedBy}.`;
    return { message, nextStep: "Wait for it, or cancel it.", run };
  }
  const migrating = migrationReason(crd, now, resumed);
  return migrating === null ? null : { message: migrating, nextStep: wayPastEngine(migrationAtWork(crd, now, resumed)) };
}
