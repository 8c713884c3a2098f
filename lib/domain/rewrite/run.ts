import type { LossKind } from "#lib/domain/losses/losses.ts";
import type { Sample } from "#lib/domain/losses/sample-of.ts";
import type { RunEngine } from "#lib/domain/rewrite/engines.ts";
import type { CrdIdentity } from "./identity.ts";
import type { MigrationPhase } from "./migration.ts";
import type { Pace } from "./pace.ts";
import type { SentPatches } from "./sent-patches.ts";

export const runPhases = [
  "settling",
  "rewriting",
  "verifying",
  "paused",
  "succeeded",
  "unproven",
  "cancelled",
  "interrupted",
  "failed",
] as const;
export type RunPhase = (typeof runPhases)[number];

/** Phases in which a run claims to be active. */
export const livePhases: readonly RunPhase[] = ["settling", "rewriting", "verifying", "paused"];

/** The holder renews at this interval … */
export const RENEW_EVERY_MS = 15_000;
/** … and another process may take over after this long without a renewal. */
export const TAKE_OVER_AFTER_MS = 45_000;

/** Each object once, but those that were rewritten and then couldn't be verified as rewritten and rejected (rejectedAfterwards). */
export interface RunCounts {
  /** Null until the first list. */
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
  engine: RunEngine;
  /** The version that objects are rewritten to. */
  storageVersion: string;
  startedBy: string;
  startedAt: string;
  settledAt: string | null;
  endedAt: string | null;
  settleResourceVersion: string | null;
  /** What it did so far, each object once, and what is left. A resumed run counts on. */
  counts: RunCounts;
  /**
   * More objects may be rewritten than counted: a process that held the run ended before it knew or recorded the last ones, or the same
   * objects may have been rewritten twice.
   */
  rewrittenAtLeast: boolean;
  /** Objects that its proof found stored at the storage version; null without a proof, or in a record of an earlier crdshift. */
  provenObjects: number | null;
  ratePerSecond: number | null;
  etaSeconds: number | null;
  /** Why it waits, backs off, failed, or was cancelled, for people, with the server's message. */
  statusReason: string | null;
  /** RFC 3339: when the settle wait ends, while settling. */
  settlesAt: string | null;
  /** RFC 3339: when the next request is sent while it backs off; null if it doesn't, or if that request is under way. */
  retryAt: string | null;
  /** When its holder last renewed it. */
  renewedAt: string;
  verify: "settle-point" | "every-object";
  rejections: RejectionGroup[];
  /** Maximum objects to patch per second; null without a limit. */
  maxPerSecond: number | null;
  pace: Pace;
  /** A command not in effect yet because requests are in flight. */
  command: "pause" | "cancel" | null;
  rates: RateHistory;
  /** Whether rejected objects are retried through `/status`, and how many were rewritten that way. */
  throughStatus: { allowed: boolean; objects: number };
  /** Whether to carry over managedFields that the rewrite would lose, and the number of objects that kept or lost them. */
  ownership: { keep: boolean; kept: number; lost: number };
  /** The accepted losses; null when none needed accepting. */
  acceptedLosses: AcceptedLosses | null;
  /** The dry run it relies on, made for this run or earlier. */
  dryRun: string | null;
  /** Why it ended before rewriting anything: unaccepted losses; null when it didn't. */
  heldBackBecause: string | null;
  /** RFC 3339: when another crdshift took over because the holder stopped responding; null if none did. */
  takenOverAt: string | null;
  /** The StorageVersionMigration it delegates to; null if crdshift rewrites the objects. */
  delegation: Delegation | null;
  /** Null when unknown: an older crdshift that didn't count patches wrote the record. */
  sent: SentPatches | null;
  /** The crdshift version that started it; null when not recorded. */
  crdshiftVersion: string | null;
  /** Reasons for starting and last resuming it, if the definition was protected. */
  reasons: GivenReason[];
  /** When and why it was interrupted before it was resumed: the first time, and the last ones. */
  interruptions: Interruption[];
  /** What is unknown about what it wrote, from its earlier processes, too, and what it left in managedFields: its end tells. */
  caveats: string[];
}

/** How a run stopped before someone resumed it. */
export interface Interruption {
  at: string;
  /** Null if its process ended without a word. */
  because: string | null;
  /** Objects that were left then; null if unknown. */
  remaining: number | null;
}

/** What a run knows about the StorageVersionMigration that it delegated to. */
export interface Delegation {
  /** Its name. */
  migration: string;
  /** Its phase when last read; null before it is created or after it was deleted, or if its run ended before recording it. */
  phase: MigrationPhase | null;
  /** Its last status message. */
  message: string;
  /** crdshift's note on its fate when the run ended first; otherwise null. */
  left: string | null;
  startedAt: string | null;
  endedAt: string | null;
  /** status.storedVersions before it began, used to repair a wrong prune. */
  storedVersionsBefore: string[];
  /** Versions that crdshift put back because they were removed without a proof. */
  putBack: string[];
}

/** Whether a run may have a migration of this recorded phase: it creates none before it has settled, and records it later. */
export function mayHaveMigration({ settledAt }: Pick<Run, "settledAt">, phase: Delegation["phase"]): boolean {
  return phase !== null || settledAt !== null;
}

/** A run's rate over time: objects per second, oldest first, one sample every `everySeconds`. */
export interface RateHistory {
  everySeconds: number;
  perSecond: number[];
}

/** An acknowledgement of losses. */
export interface AcceptedLosses {
  by: string;
  at: string;
  /** The dry run that lists them; null if none was recorded. */
  dryRun: string | null;
  losses: { kind: LossKind; path: string; objects: number }[];
  /** Paths beyond those listed. */
  more: number;
  /** What the dry run checked, if it left out objects: these may lose the same. Null if it didn't, or an older crdshift recorded this. */
  sample: Sample | null;
  /** Any other loss was accepted, too, unseen: by its own word, or because no dry run was recorded. */
  unseen: boolean;
  /** The identity of the definition they were accepted for. */
  of: CrdIdentity | null;
  /** Says which installation took the consent; null when an older crdshift did, or someone else wrote it. */
  signature: string | null;
}

/**
 * The run at `now` (ms): interrupted if live but not renewed for 45 s. A renewal further in the future than that counts as none: its
 * holder's clock was fast, and a dead holder would otherwise hold the definition until then.
 */
export function asOf(run: Run, now: number): Run {
  if (!isLive(run) || Math.abs(now - Date.parse(run.renewedAt)) <= TAKE_OVER_AFTER_MS) return run;
  return { ...run, phase: "interrupted", ratePerSecond: null, etaSeconds: null, retryAt: null };
}

/** Whether another engine is rewriting, or will rewrite, objects for this run; crdshift can't pause or slow it down. */
export function isOtherEngineAtWork(run: Pick<Run, "phase" | "delegation">): boolean {
  return isLive(run) && run.delegation !== null && run.delegation.phase !== "succeeded" && run.delegation.phase !== "failed";
}

/** The runs that are newer than the one looked for; all if it is not there. By their order in the record, newest first: clocks differ. */
export function runsSince(runs: readonly Run[], isIt: (run: Run) => boolean): readonly Run[] {
  const at = runs.findIndex(isIt);
  return at === -1 ? runs : runs.slice(0, at);
}

export function isLive(run: Pick<Run, "phase">): boolean {
  return livePhases.includes(run.phase);
}

/** The reason given for changing a protected definition. */
export interface GivenReason {
  text: string;
  by: string;
  at: string;
}

/** A run's reasons plus a new one. Keeps only the first and the newest, to keep the annotation small. */
export function withReason(reasons: readonly GivenReason[], reason: GivenReason): GivenReason[] {
  return [...reasons.slice(0, 1), reason];
}

const KEPT_INTERRUPTIONS = 3;
const KEPT_CAVEATS = 4;

/** An interrupted run's interruptions plus its last one. */
export function withInterruption({ interruptions, endedAt, renewedAt, statusReason, counts }: Run): Interruption[] {
  const last = { at: endedAt ?? renewedAt, because: endedAt === null ? null : statusReason, remaining: counts.remaining };
  return firstAndLast([...interruptions, last], KEPT_INTERRUPTIONS);
}

/** A run's caveats plus these, each once. Of many it keeps some, and how many it leaves out. */
export function withCaveats(known: readonly string[], more: readonly (string | null)[]): string[] {
  const told = more.filter((caveat): caveat is string => Boolean(caveat));
  const all = [...new Set([...known.filter((caveat) => leftOutIn(caveat) === 0), ...told])];
  const [first, ...last] = firstAndLast(all, KEPT_CAVEATS);
  const leftOut = known.reduce((sum, caveat) => sum + leftOutIn(caveat), 0) + Math.max(0, all.length - KEPT_CAVEATS);
  if (first === undefined) return [];
  return leftOut === 0 ? [first, ...last] : [first, `The record leaves out ${leftOut} more of these warnings.`, ...last];
}

function leftOutIn(caveat: string): number {
  return Number(/^The record leaves out (\d+) more of these warnings\.$/.exec(caveat)?.[1] ?? 0);
}

/** The caveats that a run's reason doesn't tell: no end of it is recorded, or the reason was too long for the record and lacks its last words. */
export function untoldCaveats({ caveats, statusReason }: Pick<Run, "caveats" | "statusReason">): string[] {
  return caveats.filter((caveat) => !statusReason?.includes(caveat));
}

/** Why a run ended, with all that its reason is to say. */
export function reasonWithCaveats(run: Pick<Run, "caveats" | "statusReason">): string | null {
  return [run.statusReason, ...untoldCaveats(run)].filter(Boolean).join(" ") || null;
}

// To keep the annotation small.
function firstAndLast<Item>(items: readonly Item[], most: number): Item[] {
  return items.length <= most ? [...items] : [...items.slice(0, 1), ...items.slice(1 - most)];
}
