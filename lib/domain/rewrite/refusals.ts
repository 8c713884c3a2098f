import { contradictionOf, contradictionReason, contradictionRepair } from "#lib/domain/definition/contradiction.ts";
import { type Crd, hasCondition, storageVersion, versionNames } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import {
  leftoverVersions,
  storedVersionsProblem,
  unknownStoredVersion,
  VERSION_MAX_LENGTH,
} from "#lib/domain/definition/stored-versions.ts";
import { recordRoomRefusal } from "#lib/domain/record/record-room.ts";
import { latestRun, readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { unreadableRecord } from "#lib/domain/record/unreadable-record.ts";
import { proofFault } from "#lib/domain/record/valid-evidence.ts";
import { migrationApiOf } from "#lib/domain/rewrite/engines.ts";
import { firstOf } from "#lib/domain/wording/first-of.ts";
import { clockTime } from "#lib/domain/wording/local-time.ts";
import { shellQuoted } from "#lib/domain/wording/shell-quoted.ts";
import { identityChange } from "./identity.ts";
import type { Migration } from "./migration.ts";
import { migrationAtWork } from "./other-engines.ts";
import { isLive, mayHaveMigration, type Run } from "./run.ts";

/** Why an action is refused, and what to do about it. */
export interface Refusal {
  message: string;
  nextStep: string;
  /** The run that blocks the action, if any. */
  run?: Run;
}

// A settle point of another spec says nothing of this one.
const PATCHES_ALL = " It patches every object once more, including those already proven.";

/** Refuses every change to a definition that is being deleted. */
export const beingDeleted: Refusal = {
  message: "The definition is being deleted.",
  nextStep: "Check its conditions to see what blocks the deletion.",
};

/** Why no rewrite can start on this CRD at `now` (ms), or continue as the run `resumed`; null when it can. */
export function rewriteRefusal(crd: Crd, now: number, resumed: string | null = null): Refusal | null {
  return objectWriteRefusal(crd, now, resumed) ?? leftMigrationRefusal(crd, now, resumed) ?? recordRoomRefusal(crd);
}

// Once a controller runs, it writes every object unchecked and shortens storedVersions, whatever the spec is by then. A new rewrite would
// take its run's place, and nobody could end it there any more.
function leftMigrationRefusal(crd: Crd, now: number, resumed: string | null): Refusal | null {
  const runs = readableRecord(crd)?.runs ?? [];
  const isLeft = ({ phase, runId }: Migration) => phase === "pending" && runId !== resumed && runs.some(({ id }) => id === runId);
  const left = crd.migrations.find(isLeft);
  const newest = latestRun(crd, now);
  if (!left) return newest && newest.id !== resumed && mayHavePending(crd, newest) ? unlistedMigration(newest) : null;
  const canEnd = newest?.phase === "interrupted" && newest.id === left.runId;
  return {
    message:
      `An earlier rewrite's StorageVersionMigration ${left.name} is still pending. If the cluster's own engine picks it up later, it ` +
      "writes every object unchecked.",
    nextStep: `${canEnd ? "Resume or cancel that rewrite, or delete the migration" : "Delete it"}: ${deleteCommand(left)}`,
    ...(canEnd && { run: newest }),
  };
}

function mayHavePending({ migrationsListed }: Crd, run: Run): boolean {
  const { phase, delegation } = run;
  if (migrationsListed || phase !== "interrupted" || !delegation || !mayHaveMigration(run, delegation.phase)) return false;
  return delegation.left === null && delegation.phase !== "succeeded" && delegation.phase !== "failed";
}

function unlistedMigration(run: Run): Refusal {
  return {
    message:
      `An interrupted rewrite's StorageVersionMigration ${run.delegation?.migration} may still be pending, and crdshift can't list ` +
      "migrations now. If the cluster's own engine picks it up later, it writes every object unchecked.",
    nextStep: "Resume or cancel that rewrite.",
    run,
  };
}

/** Why this CRD's objects can't be written at `now` (ms), be it by a rewrite or to clean managedFields; null when they can. */
export function objectWriteRefusal(crd: Crd, now: number, resumed: string | null = null): Refusal | null {
  const storage = storageVersion(crd);
  const atWork = engineAtWork(crd, now, resumed);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (!storage) return { message: "No version has storage: true.", nextStep: "Mark one version as the storage version." };
  if (!storage.served) {
    return {
      message: `The storage version ${storage.name} is not served; patching through another version would drop fields that version doesn't know.`,
      nextStep: `Serve ${storage.name}, or make a served version the storage version.`,
    };
  }
  const unwritable = unwritableRecord(crd);
  if (unwritable) return unwritable;
  if (!hasCondition(crd, "Established")) {
    return {
      message: "The definition is not Established.",
      nextStep: "Check its conditions; its names may collide with another definition's.",
    };
  }
  return null;
}

/** Why stored versions can't be pruned at `now` (ms); null when they can. */
export function pruneRefusal(crd: Crd, now: number): Refusal | null {
  const leftovers = leftoverVersions(crd);
  const proof = readableRecord(crd)?.proof ?? null;
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (leftovers.length === 0) {
    return {
      message: "There is nothing to prune: storedVersions lists only the storage version.",
      nextStep: "No action is needed.",
    };
  }
  const unwritable = unwritableRecord(crd);
  if (unwritable) return unwritable;
  if (!proof) {
    return {
      message: `${firstOf(leftovers)} ${leftovers.length === 1 ? "is" : "are"} unproven.`,
      nextStep: wayToProof(crd, now) ?? "Run a rewrite first; it ends in a proof if no object is rejected.",
    };
  }
  const fault = proofFault(crd, proof);
  if (fault) {
    return {
      message: `The proof no longer holds: ${fault}. Objects may be stored at another version.`,
      nextStep: wayToProof(crd, now) ?? `Run the rewrite again.${identityChange(crd, proof) === null ? "" : PATCHES_ALL}`,
    };
  }
  const contradiction = contradictionOf(crd);
  if (contradiction) {
    return {
      message: `A count at ${clockTime(contradiction.asOf, now)} shows that ${contradictionReason(contradiction)}.`,
      nextStep: contradictionRepair(crd, contradiction),
    };
  }
  const problem = storedVersionsProblem(crd, prunedStoredVersions(crd));
  if (problem) return { message: `The list would be wrong: ${problem}.`, nextStep: "Correct status.storedVersions by hand." };
  return recordRoomRefusal(crd);
}

// What to do before a rewrite can end in a proof; null when running it is enough.
function wayToProof(crd: Crd, now: number): string | null {
  const refusal = rewriteRefusal(crd, now);
  if (refusal) return `A rewrite can't prove it yet. ${refusal.message} ${refusal.nextStep}`;
  const run = latestRun(crd, now);
  if (run?.phase !== "unproven") return null;
  if (run.heldBackBecause !== null) return "Accept the losses that held back the last rewrite, or fix their cause, then run it again.";
  return "Fix what caused the last rewrite's rejections, then run it again; it ends in a proof if no object is rejected.";
}

/** Why these versions can't be put back into stored versions, or null. */
export function relistRefusal(crd: Crd, versions: readonly string[], now: number): Refusal | null {
  const unknown = versions.find((version) => !versionNames(crd).has(version));
  const atWork = engineAtWork(crd, now);
  if (atWork) return atWork;
  if (crd.deletionTimestamp) return beingDeleted;
  if (unknown !== undefined) {
    return { message: `${unknown} is no longer in spec.versions.`, nextStep: `Put ${unknown} back into spec.versions first.` };
  }
  const listed = new Set(crd.storedVersions);
  if (versions.every((version) => listed.has(version))) {
    return { message: "These versions are already listed in status.storedVersions.", nextStep: "No action is needed." };
  }
  const problem = storedVersionsProblem(crd, relistedStoredVersions(crd, versions));
  return problem ? { message: `The list would be wrong: ${problem}.`, nextStep: "Correct status.storedVersions by hand." } : null;
}

/** status.storedVersions after a prune. */
export function prunedStoredVersions(crd: Pick<Crd, "versions">): string[] {
  const storage = storageVersion(crd);
  return storage ? [storage.name] : [];
}

/** status.storedVersions with the versions put back: each once, older entries first. */
export function relistedStoredVersions(crd: Pick<Crd, "storedVersions">, versions: readonly string[]): string[] {
  return possibleVersions([...new Set([...versions, ...crd.storedVersions])]);
}

/** Without names that no version can have, which crdshift has cut as it read them. */
function possibleVersions(storedVersions: readonly string[]): string[] {
  return storedVersions.filter((name) => name.length <= VERSION_MAX_LENGTH);
}

// A rewrite and a prune start by writing the annotation, which would fail here or overwrite another writer's content.
/** Why crdshift must not, or can't, write its record; null when it can. */
export function unwritableRecord(crd: Crd): Refusal | null {
  return unreadableRecord(crd) ?? unknownVersion(crd);
}

/** Why the API server would refuse every change to the definition, and how to fix it; null when it would not. */
export function unknownVersion(crd: Crd): Refusal | null {
  const unknown = unknownStoredVersion(crd, crd.storedVersions);
  if (unknown === null) return null;
  const repaired = JSON.stringify({ status: { storedVersions: possibleVersions(crd.storedVersions).filter((one) => one !== unknown) } });
  return {
    message: `status.storedVersions lists ${unknown}, which is not in spec.versions, so the API server refuses every change to the definition.`,
    nextStep:
      `Put ${unknown} back into spec.versions. If it was never a storage version, remove it instead: ` +
      `kubectl patch customresourcedefinition ${crd.name} --subresource=status --type=merge -p ${shellQuoted(repaired)}`,
  };
}

// crdshift can't stop another engine, and the cluster's own retries some errors forever.
function wayPastEngine(migration: Migration | null): string {
  const wait = "Wait until it ends; crdshift doesn't interfere with other engines.";
  if (!migration) return wait;
  return `${wait} If it never ends, delete it (its controller may continue for a while): ${deleteCommand(migration)}`;
}

function deleteCommand({ engine, name }: Migration): string {
  return `kubectl delete storageversionmigrations.${migrationApiOf[engine].group} ${name}`;
}

/** The run or other engine that is active at `now` (ms) and blocks a new one; null when there is none. */
export function engineAtWork(crd: Crd, now: number, resumed: string | null = null): Refusal | null {
  const run = latestRun(crd, now);
  if (run && isLive(run)) {
    const message = `A rewrite is in progress, started at ${clockTime(run.startedAt, now)} by ${run.startedBy}.`;
    return { message, nextStep: "Wait for it to finish, or cancel it.", run };
  }
  const migrating = migrationReason(crd, now, resumed);
  return migrating === null ? null : { message: migrating, nextStep: wayPastEngine(migrationAtWork(crd, now, resumed)) };
}
