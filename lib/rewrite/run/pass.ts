import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { Finding } from "#lib/cluster/definitions/evidence/withdrawn-evidence.ts";
import type { ObjectMetadata } from "#lib/cluster/objects/object-pages.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isAboveSettlePoint } from "#lib/domain/objects/resource-version.ts";
import type { OnPatch } from "#lib/domain/rewrite/sent-patches.ts";
import type { LossGuard } from "#lib/rewrite/guards/loss-guard.ts";
import type { Gate } from "#lib/rewrite/pacing/outage-gate.ts";
import type { Pacer } from "#lib/rewrite/pacing/pacer.ts";
import type { Tally } from "#lib/rewrite/run/progress/tally.ts";
import type { LeftEntries, OwnEntries } from "./object/ownership/left-entries.ts";
import type { UnconfirmedWrites } from "./unconfirmed-writes.ts";

/** The inputs of one pass over all objects. */
export interface Pass {
  connection: Connection;
  crd: Crd;
  /** The storage version, at which objects are listed and patched. */
  version: string;
  /** Objects above this resourceVersion need no request; null patches every object. */
  skipAbove: string | null;
  /** Objects above this resourceVersion are at the storage version: one that a patch changes, or that can't be patched, disproves it. */
  settleResourceVersion: string;
  /** When the settle point was taken, in ms since the epoch by crdshift's clock. */
  settledAt: number;
  /** Objects above this resourceVersion are checked for losses before they are written. */
  checkAbove: string;
  /** Retry rejected objects through `/status`. */
  throughStatus: boolean;
  /** Carry managedFields over if the rewrite would lose them. */
  keepOwnership: boolean;
  /** Take crdshift's own entries, which an earlier run left, from objects that are current. */
  takesBack: boolean;
  /** All objects were patched before: its patches are counted as a verification's. */
  verifying: boolean;
  /** Which objects to check right before writing them, and to skip if they would lose something. */
  guard: LossGuard;
  gate: Gate;
  pacer: Pacer;
  tally: Tally;
  /** Counts sent patches. */
  onPatch: OnPatch;
  /** Called for each object that shows recorded evidence to be wrong, before it is counted. */
  onDisproof: (disproof: Disproof) => Promise<void>;
  /** Notes which objects were written since the definition was last found unchanged. */
  writes: UnconfirmedWrites;
  /** Notes which objects still name crdshift in managedFields. */
  ownEntries: OwnEntries;
  /** Notes which objects have managedFields entries that could not be carried over. */
  leftEntries: LeftEntries;
  runId: string;
  signal: AbortSignal;
  /** For what has to follow an answered write; outlasts `signal`. */
  lasting: AbortSignal;
  /** For the answers to writes that were sent; outlasts `signal`, too. */
  answering: AbortSignal;
}

/** Whether an object is known to be current. Not one that is being deleted: a slow deletion may store it from what it read before. */
export function isSkipped(
  { skipAbove }: Pick<Pass, "skipAbove">,
  { resourceVersion, deletionTimestamp }: Pick<ObjectMetadata, "resourceVersion" | "deletionTimestamp">,
): boolean {
  return isAboveSettlePoint(resourceVersion, skipAbove) && deletionTimestamp === null;
}

/** Whether an object with this resourceVersion may hold fields that no schema has: no proof counts it, and it isn't above the settle point. */
export function mayHideIn({ guard, settleResourceVersion }: Pick<Pass, "guard" | "settleResourceVersion">, at: string): boolean {
  return !guard.isProven && !isAboveSettlePoint(at, settleResourceVersion);
}

/** An object that was changed or rejected disproves a proof that counts it, and above the settle point that, too. */
export interface Disproof extends Finding {
  of: "proof" | "settle-point";
  found: "changed" | "rejected";
  /**
   * Of a write without an answer: whether it wasn't stored after all, which can be told once so many ms have passed. False if the signal
   * aborts before. Never throws.
   */
  wasNothing?: (endsAfterMs: number, signal: AbortSignal) => Promise<boolean>;
}

/** Resolves once a finding is on record. */
export async function noteFind(
  pass: Pass,
  { resourceVersion: objectAt }: { resourceVersion: string },
  find: Pick<Disproof, "found" | "foundAt" | "wasNothing">,
): Promise<void> {
  const isAbove = isAboveSettlePoint(objectAt, pass.settleResourceVersion);
  await pass.onDisproof({ of: isAbove ? "settle-point" : "proof", objectAt, ...find });
}
