import { sleep } from "#lib/async/sleep.ts";
import { createMigration, type InTreeMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { findMigrationApi } from "#lib/cluster/migrations/migration-apis.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/read-migrations-of.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import { conditionAtWork, migrationAtWork } from "#lib/domain/rewrite/migration.ts";
import { type Delegation, readableRecord } from "#lib/domain/rewrite/run.ts";
import { putBackStoredVersions } from "#lib/rewrite/commands/put-back-stored-versions.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { stopOf } from "#lib/rewrite/record/hold-run.ts";
import type { Progress } from "#lib/rewrite/run/run-rewrite.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { leaveMigration, shortened } from "./leave-migration.ts";

const LOOK_EVERY_MS = 1_000;
/** Half a minute of answered looks: an outage is nobody's not picking it up. */
const PICKED_UP_WITHIN_LOOKS = 30;
/** It tells nothing of its progress, and one that can't go on is tried again for ever (storageversionmigrator.go): somebody has to look some day. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;
const LEAVE_WITHIN_MS = 2_000;

/**
 * Lets the cluster's own engine rewrite the objects: creates a StorageVersionMigration and waits until it has ended, whichever way; what
 * it says of itself proves nothing, and the passes that follow do. It takes versions out of status.storedVersions at its end even when it
 * failed, and a second one at its beginning: they are put back until there is a proof.
 * @throws StopRun when another engine is at work, when no controller picks it up within 30 s, when somebody deletes it, or when it does not
 * end within a day.
 */
export async function delegateRewrite(progress: Progress): Promise<void> {
  try {
    await untilMigrated(progress);
  } catch (error) {
    const { phase } = stopOf(progress.signal.aborted ? progress.signal.reason : error);
    // An interrupted run is resumed with the very same migration, and one that was taken over goes on with it.
    if (phase !== "interrupted" && phase !== "elsewhere") await leave(progress);
    throw error;
  }
}

async function untilMigrated(progress: Progress): Promise<void> {
  const { connection, crd, run } = progress.job;
  const { gate, signal, identity } = progress;
  const ask = async <Answer>(request: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        const answer = await throughGate(gate, signal, request);
        // An outage ends with a look that is answered: no object is dealt with here for hours.
        gate.succeeded(performance.now(), false);
        return answer;
      } catch (error) {
        // Entering waits until the run's record is renewed.
        if (!(error instanceof GateHeld)) throw error;
      }
    }
  };
  const version = await ask(() => findMigrationApi(connection, "in-tree", signal));
  if (version === null) throw new StopRun("failed", "The cluster does not serve storagemigration.k8s.io any more.");
  const others = { ...crd, ...(await ask(() => readMigrationsOf(connection, crd.name, signal))) };
  const inTheWay = migrationReason(others, Date.now(), run.id);
  if (inTheWay !== null) throw new StopRun("failed", inTheWay);

  let migration = await ask(() => createMigration(connection, version, crd, run, identity.generation, signal));
  const begunAt = performance.now();
  for (let looks = 0; ; looks += 1) {
    note(progress, migration);
    if (migration.phase === "succeeded") return;
    const name = migration.name;
    // While it runs, only what this very one took out at its beginning: with its condition it takes back both, and may succeed yet.
    const isDue = migration.phase === "failed" ? () => true : (now: Crd) => conditionAtWork(now) === name;
    await ask(() => putBack(progress, isDue, signal));
    if (migration.phase === "failed") return;
    if (migration.phase === "pending" && looks >= PICKED_UP_WITHIN_LOOKS) await refuseToWait(progress, ask);
    if (performance.now() - begunAt > GIVE_UP_AFTER_MS) throw new StopRun("failed", `${name} has not ended within a day.`);
    await sleep(LOOK_EVERY_MS, signal);
    const now = await ask(() => readMigration(connection, version, name, signal));
    if (now?.uid !== migration.uid) {
      throw new StopRun("failed", `Somebody deleted the StorageVersionMigration ${name}; its controller may go on all the same.`);
    }
    migration = now;
  }
}

/** Puts versions back that the delegated engine took out of status.storedVersions, where that is due, and notes it on the run. */
export async function putBack({ job, state, gate }: Progress, isDue: (now: Crd) => boolean, signal: AbortSignal): Promise<void> {
  const { delegation } = state.run;
  if (!delegation) return;
  const isMine = (now: Crd) => {
    const record = readableRecord(now);
    return record?.holder === holderName() && record.runs[0]?.id === job.run.id;
  };
  const noted = await putBackStoredVersions(
    job.connection,
    job.crd,
    { run: state.run, delegation },
    {
      isDue: (now) => {
        gate.throwIfHeld();
        return isMine(now) && isDue(now);
      },
      signal,
    },
  );
  state.run = { ...state.run, delegation: noted };
}

function note({ state }: Progress, { name, phase, message, since }: InTreeMigration): void {
  const { delegation } = state.run;
  if (!delegation) return;
  const hasEnded = phase === "succeeded" || phase === "failed";
  const now: Delegation = {
    ...delegation,
    ...{ migration: name, phase, message: shortened(message) },
    startedAt: delegation.startedAt ?? (phase === "running" ? since : null),
    endedAt: hasEnded ? since : null,
  };
  state.run = { ...state.run, delegation: now };
}

// One that somebody else began meanwhile goes first, and ours is picked up after it.
async function refuseToWait({ job }: Progress, ask: <Answer>(request: () => Promise<Answer>) => Promise<Answer>): Promise<void> {
  const { connection, crd, run } = job;
  const known = await ask(() => readMigrationsOf(connection, crd.name, AbortSignal.timeout(10_000)));
  if (migrationAtWork(known, Date.now(), run.id)?.phase === "running") return;
  throw new StopRun(
    "failed",
    "No controller picked the StorageVersionMigration up within 30 s: kube-controller-manager's feature gate StorageVersionMigrator is probably " +
      "off. Turn it on, or rewrite with crdshift's own engine.",
  );
}

async function leave({ job, state }: Progress): Promise<void> {
  const { delegation } = state.run;
  if (!delegation) return;
  const left = await leaveMigration(job.connection, job.run, delegation, AbortSignal.timeout(LEAVE_WITHIN_MS));
  state.run = { ...state.run, delegation: { ...delegation, ...left } };
}
