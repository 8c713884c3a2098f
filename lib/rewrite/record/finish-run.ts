import { sleep } from "#lib/async/sleep.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { restoredSince } from "#lib/cluster/definitions/evidence/evidence-before-restore.ts";
import { forgetUnrecordedEnd, noteUnrecordedEnd } from "#lib/cluster/definitions/evidence/unrecorded-ends.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { isRestoredSince } from "#lib/cluster/fleet/is-restored-since.ts";
import { clusterAnswer } from "#lib/cluster/transport/cluster-answer.ts";
import { asksToSignIn, errorWords, isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { isOlderState } from "#lib/domain/definition/is-older-state.ts";
import { type Proof, type Prune, type RewriteRecord, readableRecord, type SettlePoint } from "#lib/domain/record/rewrite-record.ts";
import { type CrdIdentity, identityChange } from "#lib/domain/rewrite/identity.ts";
import type { Run, RunPhase } from "#lib/domain/rewrite/run.ts";
import { beyondCancelled } from "#lib/domain/rewrite/run-sentences.ts";
import { classifyFailure } from "#lib/rewrite/run/object/request/classify-failure.ts";
import type { Disproof } from "#lib/rewrite/run/pass.ts";
import { isStopRun, StopRun } from "#lib/rewrite/run/stop-run.ts";
import { sentenceOfUnconfirmed } from "#lib/rewrite/run/unconfirmed-writes.ts";
import { withdrawHere } from "#lib/rewrite/run/withdraw-evidence.ts";
import { type HeldRun, letGo, showRun, withRun } from "./held-run.ts";
import { isDeleted } from "./is-deleted.ts";
import { retryMs } from "./keep-renewing.ts";
import { type KnownRenewals, knownRenewals, ownRecord } from "./own-record.ts";
import { recordEnd } from "./record-action.ts";
import { DELETED, RESTORED, recreated } from "./stop-of.ts";
import { updateRecord } from "./update-record.ts";
import { withDoubtForWithdrawn, withoutWithdrawn } from "./without-withdrawn.ts";

interface Ending {
  run: Run;
  /** What the run left in managedFields. A run that is resumed takes own entries back, and finds the others again. */
  entries: readonly string[];
  proof: Proof | null;
  unconfirmed: number;
  unanswered: readonly Disproof[];
  dryRunHeld: boolean;
}

const FAREWELL_MS = 10_000;
const FAREWELL_WITHIN_MS = 10 * 60_000;

/**
 * Writes how the run ended, with a proof only if the definition is unchanged. It does not use the run's signal, so cancelled runs are
 * recorded too. It retries for ten minutes, so that an outage does not cost hours of work, unless the run was told to stop. If the cluster
 * refuses to record the end, or nothing records it by then, this process shows it with the cause for as long as the record has none.
 * `unconfirmed` counts the objects that were written since the definition was last found unchanged: told unless it still is. What `unanswered`
 * writes may disprove is withdrawn. Without `dryRunHeld`, a write went otherwise than the dry run showed, and no later run may rely on that.
 * @returns the definition as written.
 * @throws StopRun "lost" if the definition is gone or etcd was restored since the proof; "elsewhere" if another crdshift took over; the
 * cluster's error.
 */
export async function finishRun(
  heldRun: HeldRun,
  identity: CrdIdentity,
  { run, entries, proof, unconfirmed, unanswered, dryRunHeld }: Ending,
  { stop, onDelay }: { stop: AbortSignal; onDelay: (because: string) => void },
): Promise<Crd> {
  const { connection, crd, control, lastRestore } = heldRun;
  // What has been verified is no older. Seen before an outage, in which etcd may be restored.
  const seen = fleetOf(connection).lastSeen(crd.name);
  const end = (now: Crd, record: RewriteRecord, known: KnownRenewals): RewriteRecord => {
    // An earlier attempt may have succeeded without its answer arriving.
    if (record.runs.some((one, index) => one.id === run.id && one.endedAt === run.endedAt && (index > 0 || record.holder === null)))
      return record;
    if (now.uid !== identity.uid) throw recreated();
    if (proof && (isOlderState(now, seen) || restoredSince(connection, lastRestore))) throw new StopRun("lost", RESTORED);
    const own = ownRecord(record, known);
    const left = unanswered.length > 0 ? withDoubtForWithdrawn(connection, own, now, unanswered) : withoutWithdrawn(connection, own);
    const mine = { ...left, holder: null, dryRun: dryRunHeld ? left.dryRun : null };
    const change = identityChange(now, identity);
    if (proof && change) {
      const statusReason = `The definition changed during the rewrite: ${change}.`;
      return withRun(mine, ended({ ...run, phase: "failed", provenObjects: null, statusReason }));
    }
    if (proof && !restsOn(mine.settlePoint, proof)) {
      return withRun(mine, ended({ ...run, phase: "failed", provenObjects: null, statusReason: SETTLE_POINT_WITHDRAWN }));
    }
    // The dry run's predictions have happened; the proof keeps what was accepted.
    return withRun(
      proof ? { ...mine, proof, doubt: null, dryRun: null, prune: provenPrune(now, run, mine.prune) ?? mine.prune } : mine,
      ended(change ? doubtful : run),
    );
  };
  // The reason that tells it may be too long for the record, or another one's place.
  const ended = (one: Run) => (one.phase === "interrupted" ? one : { ...one, caveats: [...one.caveats, ...entries] });
  const doubtful = unconfirmed === 0 ? run : withDoubt(run, sentenceOfUnconfirmed(unconfirmed));
  const giveUpAt = Date.now() + FAREWELL_WITHIN_MS;
  const told = { phase: null as RunPhase | null };
  const tell = (error: unknown) => {
    const [unchanged, shown] = [ended(withoutRecord(run, error)), ended(withoutRecord(doubtful, error))];
    control.current = () => shown;
    noteUnrecordedEnd(connection, identity.uid, { generation: identity.generation, unchanged, changed: shown });
    showRun(heldRun, shown);
    if (told.phase === null) recordEnd(connection, shown, { crdUid: identity.uid, by: stoppedBy(shown, stop) });
    told.phase = shown.phase;
  };
  const noteStopped = (error: unknown) => {
    const [unchanged, changed] = [stopped(run, error), stopped(doubtful, error)];
    noteUnrecordedEnd(connection, identity.uid, { generation: identity.generation, unchanged, changed });
  };
  try {
    for (;;) {
      try {
        // What it proves is gone.
        if (proof !== null && (await isProofUndone(connection, run, proof, stop))) throw new StopRun("lost", RESTORED);
        // Shown only once written, so that no one sees a proof that the cluster doesn't have.
        const known = knownRenewals(heldRun);
        const written = await updateRecord(
          connection,
          crd.name,
          (now, record) => end(now, record, known),
          AbortSignal.timeout(FAREWELL_MS),
        );
        const runs = readableRecord(written)?.runs ?? [];
        const recorded = runs.find(({ id }) => id === run.id) ?? null;
        // Not before: until then, another crdshift may take it over, and prove that nothing was stored.
        for (const disproof of unanswered) withdrawHere(connection, identity.uid, disproof);
        forgetUnrecordedEnd(connection, identity.uid);
        if (recorded && recorded.phase !== told.phase)
          recordEnd(connection, recorded, { crdUid: identity.uid, by: stoppedBy(recorded, stop) });
        // Another run may have begun since an attempt that got no answer.
        if (recorded && recorded === runs[0]) showRun(heldRun, recorded);
        return written;
      } catch (error) {
        if (isStopRun(error)) throw error;
        if (isDeleted(error)) throw new StopRun("lost", DELETED);
        const isOver = Date.now() > giveUpAt || asksToSignIn(error);
        if (!passes(error) || isOver) tell(error);
        else if (stop.aborted && told.phase === null) noteStopped(error);
        if (stop.aborted || isOver) throw error;
        if (told.phase === null) onDelay(`crdshift can't yet record how the rewrite ended: ${errorWords(error)}`);
        await sleep(retryMs(error), stop).catch(() => {});
      }
    }
  } finally {
    letGo(heldRun);
  }
}

async function isProofUndone(connection: Connection, { startedAt }: Run, proof: Proof, signal: AbortSignal): Promise<boolean> {
  // Told no earlier than that.
  const verified = { resourceVersion: proof.verifiedResourceVersion, at: Date.parse(startedAt) };
  return isRestoredSince(connection, verified, signal).catch(() => false);
}

/** As in StopRun. */
function stoppedBy({ phase }: Run, { reason }: AbortSignal): string | null | undefined {
  return isStopRun(reason) && reason.phase === phase ? reason.by : undefined;
}

const SETTLE_POINT_WITHDRAWN =
  "Its settle point was withdrawn while it ran: an object above it was found stored at an older version, or something else changed the " +
  "record. So objects that it took for current may not be, and nothing is proven. Rewrite again.";

// Another crdshift, or a prune of this one, may have found since that objects above it aren't current, and those have no patch to show it.
function restsOn(recorded: SettlePoint | null, { settleResourceVersion, uid, generation, storageVersion }: Proof): boolean {
  if (recorded?.resourceVersion !== settleResourceVersion) return false;
  return recorded.uid === uid && recorded.generation === generation && recorded.storageVersion === storageVersion;
}

function withDoubt(run: Run, sentence: string): Run {
  if (run.caveats.includes(sentence)) return run;
  return { ...run, statusReason: sentences(run.statusReason, sentence), caveats: [...run.caveats, sentence] };
}

// A proof counts only once the cluster has it.
function withoutRecord(run: Run, error: unknown): Run {
  const words = errorWords(error);
  if (run.phase !== "succeeded") {
    return { ...run, statusReason: sentences(run.statusReason, `crdshift can't record how the rewrite ended: ${words}`) };
  }
  const statusReason = sentences(`Every object is verified, but crdshift can't record the proof: ${words}`, run.statusReason);
  return { ...run, phase: "interrupted", provenObjects: null, statusReason };
}

// With what it has done, of which the record may be a renewal behind. It can be resumed or cancelled, as the record will show soon.
function stopped(run: Run, error: unknown): Run {
  if (run.phase === "succeeded") return withoutRecord(run, error);
  const reason = run.phase === "cancelled" ? beyondCancelled(run.statusReason) : run.statusReason;
  return { ...run, phase: "interrupted", statusReason: sentences(whyUnrecorded(error), reason) };
}

function whyUnrecorded(error: unknown): string {
  const isUnanswered =
    isTimeout(error) || (isAppError(error) && (error.code === "cluster_timeout" || error.code === "cluster_unreachable"));
  if (isUnanswered && clusterAnswer(error) === null) return "It was stopped while the API server didn't answer.";
  return `It was stopped, and crdshift couldn't record that: ${errorWords(error)}`;
}

function sentences(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== "").join(" ");
}

// The versions that the cluster's own engine removed are proven now; record them as a prune that can be undone. Not those that a person
// pruned while the run was interrupted.
function provenPrune(now: Crd, { id, delegation, storageVersion, startedBy, startedAt, endedAt }: Run, last: Prune | null): Prune | null {
  const before = delegation?.storedVersionsBefore ?? [];
  const pruned = last && Date.parse(last.prunedAt) > Date.parse(startedAt) ? last.versions : [];
  const versions = before.filter((version) => ![storageVersion, ...pruned, ...now.storedVersions].includes(version));
  const prunedAt = delegation?.endedAt ?? endedAt;
  const by = `the cluster's own engine, for ${startedBy}`;
  return versions.length > 0 && prunedAt !== null ? { versions, prunedAt, by, runId: id, reason: null } : null;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

function passes(error: unknown): boolean {
  return isTimeout(error) || (!isStopRun(error) && classifyFailure(error, null).kind === "wait");
}
