import { type Crd, storageVersion } from "#lib/domain/definition/crd.ts";
import type { DryRunRecord } from "#lib/domain/losses/dry-run.ts";
import type { LossKind } from "#lib/domain/losses/losses.ts";
import type { GivenReason } from "#lib/domain/record/given-reason.ts";
import type { MigrationPhase } from "./migration.ts";
import type { SentPatches } from "./sent-patches.ts";

export const runPhases = [
  "settling",
  "rewriting",
  "verifying",
  "paused",
  "succeeded",
  "blocked",
  "cancelled",
  "interrupted",
  "failed",
] as const;
export type RunPhase = (typeof runPhases)[number];

/** Phases in which somebody is, or says to be, at work. */
export const livePhases: readonly RunPhase[] = ["settling", "rewriting", "verifying", "paused"];

/** The holder renews this often … */
export const RENEW_EVERY_MS = 15_000;
/** … and may be taken over when it has not for this long. */
export const TAKE_OVER_AFTER_MS = 45_000;

export interface RunCounts {
  /** Null until the first list says how many there are. */
  total: number | null;
  rewritten: number;
  alreadyCurrent: number;
  gone: number;
  rejected: number;
  remaining: number | null;
}

export interface RejectionGroup {
  reason: string;
  message: string;
  count: number;
  examples: ObjectName[];
}

export interface ObjectName {
  /** Empty for a cluster-scoped object. */
  namespace: string;
  name: string;
}

export interface Run {
  id: string;
  crd: string;
  phase: RunPhase;
  engine: "crdshift" | "in-tree";
  /** The version that objects are moved to. */
  storageVersion: string;
  startedBy: string;
  startedAt: string;
  settledAt: string | null;
  endedAt: string | null;
  settleResourceVersion: string | null;
  counts: RunCounts;
  ratePerSecond: number | null;
  etaSeconds: number | null;
  /** Why it waits, backs off, failed or was cancelled; in words, with the server's message. */
  statusReason: string | null;
  /** RFC 3339: when the settle wait is over, while settling. */
  settlesAt: string | null;
  /** When its holder last said that it is at work. */
  renewedAt: string;
  verify: "settle-point" | "every-object";
  rejections: RejectionGroup[];
  /** The most objects a second that it may patch; null without a limit. */
  maxPerSecond: number | null;
  /** What was pressed and is not in force yet, because requests are still under way. */
  command: "pause" | "cancel" | null;
  rates: RateHistory;
  /** Whether objects that the API server rejects are tried through `/status`, and how many were rewritten so. */
  throughStatus: { allowed: boolean; objects: number };
  /** Whether managedFields that the rewrite would lose are carried over, in how many objects that was done, and in how many they were lost. */
  ownership: { keep: boolean; kept: number; lost: number };
  /** What somebody accepted to lose; null when nothing had to be. */
  acceptedLosses: AcceptedLosses | null;
  /** The dry run that it relies on, its own or an earlier one. */
  dryRun: string | null;
  /** Why it ended before anything was rewritten: losses that nobody has accepted; null when it did not. */
  heldBackBecause: string | null;
  /** RFC 3339: when another crdshift went on with it, because the one that held it had fallen silent; null when none has. */
  takenOverAt: string | null;
  /** The StorageVersionMigration that rewrites for it; null where crdshift does so itself. */
  delegation: Delegation | null;
  /** Null where it is not known: a crdshift that did not count them wrote the record. */
  sent: SentPatches | null;
  /** The version of the crdshift that started it; null where the record does not tell. */
  crdshiftVersion: string | null;
  /** Why it was started, and why it was resumed last, where the definition was protected. */
  reasons: GivenReason[];
}

/** What a run knows of the StorageVersionMigration that it delegated to. */
export interface Delegation {
  /** Its name. */
  migration: string;
  /** Where it stood when it was looked at last; null while there is none, before it is created or after it was deleted. */
  phase: MigrationPhase | null;
  /** What it said last. */
  message: string;
  /** What became of it when the run ended before it did, in crdshift's words; null else. */
  left: string | null;
  startedAt: string | null;
  endedAt: string | null;
  /** status.storedVersions before it began: what a wrong prune is repaired from. */
  storedVersionsBefore: string[];
  /** Versions that crdshift put back into it, since they had been taken out without proof. */
  putBack: string[];
}

/** How fast a run was over its time: objects per second, oldest first, one number every so many seconds. */
export interface RateHistory {
  everySeconds: number;
  perSecond: number[];
}

/** An acknowledgement of losses. */
export interface AcceptedLosses {
  by: string;
  at: string;
  /** The dry run that showed them; null when they were accepted unseen. */
  dryRun: string | null;
  losses: { kind: LossKind; path: string; objects: number }[];
  /** Paths beyond those listed. */
  more: number;
  /** There may be others: no dry run could tell, or none was made. */
  unseen: boolean;
  /** The definition for which they were accepted, as it was. */
  of: CrdIdentity | null;
}

/** What ties a settle point or a proof to the CRD that it was taken on. */
export interface CrdIdentity {
  uid: string;
  generation: number;
  storageVersion: string;
}

/** A resourceVersion above which every object is at the storage version, as long as the identity holds. */
export interface SettlePoint extends CrdIdentity {
  resourceVersion: string;
  takenAt: string;
  /** The wait that was kept after the last change of the spec. */
  settleSeconds: number;
}

/** The record that a rewrite finished and verified with zero rejected objects. */
export interface Proof extends CrdIdentity {
  settleResourceVersion: string;
  settleSeconds: number;
  /** resourceVersion of the list that verified. */
  verifiedResourceVersion: string;
  /** Objects in that list. */
  objects: number;
  verify: "settle-point" | "every-object";
  provenAt: string;
  runId: string;
  acceptedLosses: AcceptedLosses | null;
}

/** A prune that happened, so that it can be undone. */
export interface Prune {
  versions: string[];
  prunedAt: string;
  /** The user as the API server calls it; null where the record does not tell. */
  by: string | null;
  /** The run on whose proof it was made; null where the record does not tell. */
  runId: string | null;
  /** Why it was made, where the definition was protected. */
  reason: string | null;
}

/** Runs that the annotation remembers at most. */
export const REMEMBERED_RUNS = 5;

/** The content of the annotation: all that crdshift remembers about a CRD. */
export interface RewriteRecord {
  /** Who holds the newest run: a random id of a process; null when nobody does. */
  holder: string | null;
  /** Generation that crdshift saw first, and when, for CRDs whose managedFields don't tell. */
  generationSeen: { generation: number; at: string } | null;
  settlePoint: SettlePoint | null;
  proof: Proof | null;
  prune: Prune | null;
  /** The newest dry run that came to its end. */
  dryRun: DryRunRecord | null;
  /** Newest first; only the first can be live. */
  runs: Run[];
}

/** What a settle point or proof taken now would be tied to; null without a storage version. */
export function crdIdentity(crd: Pick<Crd, "uid" | "generation" | "versions">): CrdIdentity | null {
  const storage = storageVersion(crd);
  return storage ? { uid: crd.uid, generation: crd.generation, storageVersion: storage.name } : null;
}

/** What differs between the CRD now and the identity, in words, or null when nothing does. */
export function identityChange(crd: Pick<Crd, "uid" | "generation" | "versions">, identity: CrdIdentity): string | null {
  if (crd.uid !== identity.uid) return "the definition was deleted and created again (its uid changed)";
  const storage = storageVersion(crd)?.name;
  if (storage !== identity.storageVersion) return `the storage version changed from ${identity.storageVersion} to ${storage ?? "none"}`;
  if (crd.generation !== identity.generation) return `its spec changed (generation ${identity.generation} became ${crd.generation})`;
  return null;
}

/** The proof, if there is one and it still holds for this CRD. */
export function validProof(crd: Crd): Proof | null {
  const proof = readableRecord(crd)?.proof ?? null;
  return proof && identityChange(crd, proof) === null ? proof : null;
}

/** The settle point, if there is one and it still holds for this CRD. */
export function validSettlePoint(crd: Crd): SettlePoint | null {
  const point = readableRecord(crd)?.settlePoint ?? null;
  return point && identityChange(crd, point) === null ? point : null;
}

/** The newest dry run, if it was made of the definition as it is. */
export function validDryRun(crd: Crd): DryRunRecord | null {
  const dryRun = readableRecord(crd)?.dryRun ?? null;
  return dryRun && identityChange(crd, dryRun) === null ? dryRun : null;
}

export function readableRecord(crd: Pick<Crd, "record">): RewriteRecord | null {
  return crd.record === "unreadable" ? null : crd.record;
}

/** The newest run as it is at `now` (ms): a live one whose holder fell silent shows as interrupted. */
export function latestRun(crd: Pick<Crd, "record">, now: number): Run | null {
  const run = readableRecord(crd)?.runs[0];
  return run ? asOf(run, now) : null;
}

/** A run whose holder has not renewed for 45 s is interrupted, whatever it last said. */
export function asOf(run: Run, now: number): Run {
  if (!isLive(run) || now - Date.parse(run.renewedAt) <= TAKE_OVER_AFTER_MS) return run;
  return { ...run, phase: "interrupted", ratePerSecond: null, etaSeconds: null };
}

/** Whether another engine is, or will be, at the objects for this run, which nobody can pause or slow down. */
export function isDelegated(run: Pick<Run, "phase" | "delegation">): boolean {
  return isLive(run) && run.delegation !== null && run.delegation.phase !== "succeeded" && run.delegation.phase !== "failed";
}

export function isLive(run: Pick<Run, "phase">): boolean {
  return livePhases.includes(run.phase);
}
