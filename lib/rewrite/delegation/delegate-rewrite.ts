import { sleep } from "#lib/async/sleep.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { withOwnEvidence } from "#lib/cluster/definitions/evidence/evidence-signature.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { createMigration, type InTreeMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { findMigrationApi, requireOwnApi, wasServedLately } from "#lib/cluster/migrations/migration-apis.ts";
import { readGroupVersions } from "#lib/cluster/transport/discovery.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { validDryRun } from "#lib/domain/record/valid-evidence.ts";
import { delegationRefusal } from "#lib/domain/rewrite/delegation-refusal.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import { isMigrationOf, migrationName } from "#lib/domain/rewrite/migration.ts";
import { conditionAtWork, migrationAtWork } from "#lib/domain/rewrite/other-engines.ts";
import { type Delegation, withCaveats } from "#lib/domain/rewrite/run.ts";
import { GateHeld } from "#lib/rewrite/pacing/outage-gate.ts";
import { throughGate } from "#lib/rewrite/pacing/through-gate.ts";
import { stopOf } from "#lib/rewrite/record/hold-run.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { holderName } from "#lib/rewrite/run/running.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { abandonMigration, leaveMigration, shortened } from "./leave-migration.ts";
import { repairStoredVersions } from "./repair-stored-versions.ts";

const LOOK_EVERY_MS = 1_000;
/** Half a minute of successful polls, so that an outage does not count as an absent controller. */
const PICKED_UP_WITHIN_LOOKS = 30;
/** The engine reports no progress and retries a stuck migration forever (storageversionmigrator.go), so a person must look eventually. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;
const LEAVE_WITHIN_MS = 2_000;

/**
 * Lets the cluster's own engine rewrite the objects: creates a StorageVersionMigration and waits until it succeeds or fails. Its result
 * proves nothing; the passes that follow do. It removes versions from status.storedVersions when it ends, even if it failed, and a
 * second one removes them when it starts. crdshift repairs the list until there is a proof.
 * @throws StopRun if another engine is active, no controller picks up the migration within 30 s, the migration is deleted, or it does
 * not end within a day.
 */
export async function delegateRewrite(progress: Progress): Promise<void> {
  try {
    await untilMigrated(progress);
  } catch (error) {
    const { phase } = stopOf(progress.signal.aborted ? progress.signal.reason : error);
    // An interrupted run resumes with the same migration, and so does a run that was taken over.
    if (phase !== "interrupted" && phase !== "elsewhere") await leave(progress);
    throw error;
  }
}

/** Abandons the migration of a resumed run that ends before it waits for it again. */
export async function leaveUnwatched(progress: Progress): Promise<void> {
  const phase = progress.state.run.delegation?.phase;
  if (phase === "pending" || phase === "running") await leave(progress);
}

async function untilMigrated(progress: Progress): Promise<void> {
  const { connection, crd, run } = progress.heldRun;
  const { gate, signal, identity } = progress;
  const ask: Ask = async (request) => {
    for (;;) {
      try {
        const answer = await throughGate(gate, signal, request);
        // A successful poll ends an outage: crdshift may write no object itself for hours.
        gate.progressed();
        return answer;
      } catch (error) {
        // The next enter() waits until the run's record is renewed.
        if (!(error instanceof GateHeld)) throw error;
      }
    }
  };
  const { delegation, interruptions } = progress.state.run;
  const wasInterrupted = (delegation?.phase ?? null) !== null || interruptions.length > 0;
  const mustBeServed = wasInterrupted || wasServedLately(connection, DELEGATE);
  const version = await ask(() => (mustBeServed ? requireOwnApi(connection, signal) : findMigrationApi(connection, DELEGATE, signal)));
  if (version === null) throw new StopRun("failed", "The cluster no longer serves storagemigration.k8s.io.");
  // Before the list: a condition that names a migration which isn't listed counts as left behind.
  const { crd: now } = await ask(() => readCrd(connection, crd.name, signal));
  const others = { ...now, ...(await ask(() => readMigrationsOf(connection, crd.name, signal))) };
  const inTheWay = migrationReason(others, Date.now(), run.id);
  if (inTheWay !== null) throw new StopRun("failed", inTheWay);

  const change = identityChange(now, identity);
  if (change) throw new StopRun("failed", `The definition changed during the rewrite: ${change}.`);
  const refusal = delegationRefusal({
    ...{ preferred: await ask(() => discovered(progress, now)), storage: identity.storageVersion },
    ...{ conversion: now.conversion.strategy, unseen: progress.state.run.acceptedLosses?.unseen ?? false },
  });
  if (refusal) throw new StopRun("failed", `${refusal.message} ${refusal.nextStep}`);
  const mine = await ask(() => readMigration(connection, version, migrationName(run.id, identity.generation), signal));
  const hasBegun = mine !== null && isMigrationOf(mine, run) && mine.phase !== "pending";
  // The settle wait takes a minute or longer. What an earlier process of the run had begun is followed to its end.
  if (!(await progress.state.guard.holds()) && !hasBegun) throw outdated();
  await leaveEarlier(progress, others, ask);
  const migrate = () => createAndWait(progress, version, ask);
  const { admission } = progress.state.guard;
  await (admission ? admission.unchecked(migrate) : migrate());
}

// A migration's name has the generation, so a run that is resumed after the spec changed creates another. An earlier one that still waits
// would write every object after this run's proof.
async function leaveEarlier(
  { heldRun, state, identity, signal }: Progress,
  { migrations }: Pick<Crd, "migrations">,
  ask: Ask,
): Promise<void> {
  const { connection, run } = heldRun;
  const listed = migrations.filter(({ runId, phase }) => runId === run.id && (phase === "pending" || phase === "running"));
  // Not everyone may list migrations.
  const names = new Set([...listed.map(({ name }) => name), ...(state.run.delegation ? [state.run.delegation.migration] : [])]);
  names.delete(migrationName(run.id, identity.generation));
  for (const migration of names) {
    const { left } = await ask(() => abandonMigration(connection, state.run, { migration, phase: null }, signal));
    const caveat = left && `The spec has changed since this rewrite was first delegated. ${left}`;
    state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [caveat]) };
  }
}

// Not computed from the spec: APIServices may give an API group's versions another order.
async function discovered({ heldRun, signal }: Progress, { group, versions }: Crd): Promise<string | null> {
  const offered = await readGroupVersions(heldRun.connection, group, signal);
  return offered.find((version) => versions.some(({ name, served }) => served && name === version)) ?? null;
}

const OWNS_DEFAULTS = "The cluster's own engine may have stored new defaults";

/** It writes them by its own name, and takes no entry back. Noted as it begins: a later dry run no longer finds them. */
function noteOwnedDefaults({ heldRun, state }: Progress): void {
  const { connection, crd } = heldRun;
  const dryRun = validDryRun(withOwnEvidence(connection, fleetOf(connection).crd(crd.name) ?? crd));
  const found = dryRun?.losses.find(({ kind }) => kind === "defaulted");
  if (!found || state.run.caveats.some((caveat) => caveat.startsWith(OWNS_DEFAULTS))) return;
  const caveat =
    `${OWNS_DEFAULTS}, such as ${found.path}. It owns these, and any atomic list or map around them, ` +
    "so its owners' next apply may conflict with storage-version-migrator-controller: let them apply once with --force-conflicts.";
  state.run = { ...state.run, caveats: withCaveats(state.run.caveats, [caveat]) };
}

type Ask = <Answer>(request: () => Promise<Answer>) => Promise<Answer>;

async function createAndWait(progress: Progress, foundVersion: string, ask: Ask): Promise<void> {
  const { connection, crd, run } = progress.heldRun;
  const { signal, identity, state } = progress;
  let version = foundVersion;
  const askEngine: Ask = (request) =>
    ask(async () => {
      try {
        return await request();
      } catch (error) {
        // After an upgrade, it may be served at another version.
        if (isAppError(error) && error.code === "cluster_unreachable") version = await requireOwnApi(connection, signal);
        throw error;
      }
    });
  let migration = await askEngine(() => createMigration(connection, version, crd, run, identity.generation, signal));
  const begunAt = performance.now();
  for (let looks = 0; ; looks += 1) {
    note(progress, migration);
    if (migration.phase === "pending") await leaveIfOutdated(progress);
    else if (migration.phase === "running") await state.guard.admission?.now();
    else await state.guard.admission?.again();
    if (migration.phase !== "pending") noteOwnedDefaults(progress);
    if (migration.phase === "succeeded") return;
    const name = migration.name;
    // While it runs, repair only what this migration itself removed when it started; it may still succeed.
    const isDue = migration.phase === "failed" ? () => true : (now: Crd) => conditionAtWork(now) === name;
    await ask(() => putBackAfterEngine(progress, isDue, signal));
    if (migration.phase === "failed") return;
    if (migration.phase === "pending" && looks >= PICKED_UP_WITHIN_LOOKS) await refuseToWait(progress, ask);
    if (performance.now() - begunAt > GIVE_UP_AFTER_MS) throw new StopRun("failed", `${name} didn't end within a day.`);
    await sleep(LOOK_EVERY_MS, signal);
    const now = await askEngine(() => readMigration(connection, version, name, signal));
    if (now?.uid !== migration.uid) {
      throw new StopRun("failed", `The StorageVersionMigration ${name} was deleted; its controller may still continue.`);
    }
    migration = now;
  }
}

// Read anew each second, unlike during crdshift's own writes: once a controller begins, nothing keeps it from any object.
// If a controller was faster than the deletion, the run goes on, because someone has to repair the list and verify. Its end tells.
async function leaveIfOutdated(progress: Progress): Promise<void> {
  const { state } = progress;
  if (await state.guard.holds()) return;
  await leave(progress);
  const { delegation } = state.run;
  if (delegation?.phase === null) throw outdated();
  if (delegation) state.run = { ...state.run, delegation: { ...delegation, left: null } };
}

function outdated(): StopRun {
  return new StopRun(
    "unproven",
    "The dry run may no longer say what would be lost: since then, mutating webhooks or policies were added, edited, or removed, or crdshift " +
      "can't read them, or a webhook converts and five minutes have passed. The cluster's own engine checks no object before it writes. " +
      "Start the rewrite again, which makes a new dry run, or rewrite with crdshift's own engine.",
  );
}

/** Puts the versions back that the delegated engine removed, if that is due, and records it on the run. */
export async function putBackAfterEngine(
  { heldRun, state, gate }: Progress,
  isDue: (now: Crd) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { delegation } = state.run;
  if (!delegation) return;
  const isMine = (now: Crd) => {
    const record = readableRecord(now);
    return record?.holder === holderName() && record.runs[0]?.id === heldRun.run.id;
  };
  const noted = await repairStoredVersions(
    heldRun.connection,
    heldRun.crd,
    { run: state.run, delegation },
    {
      isDue: (now) => {
        const because = gate.record.cause();
        if (because !== null) throw new GateHeld(because);
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

// A migration that someone else started goes first; the controller picks ours up after it.
async function refuseToWait({ heldRun, signal }: Progress, ask: Ask): Promise<void> {
  const { connection, crd, run } = heldRun;
  const known = await ask(() => readMigrationsOf(connection, crd.name, signal));
  if (migrationAtWork(known, Date.now(), run.id)?.phase === "running") return;
  throw new StopRun(
    "failed",
    "No controller picked up the StorageVersionMigration within 30 s: kube-controller-manager's StorageVersionMigrator feature gate is probably " +
      "off. Turn it on, or rewrite with crdshift's own engine.",
  );
}

async function leave({ heldRun, state }: Progress): Promise<void> {
  const { delegation } = state.run;
  // It may have been left already, because the dry run is outdated.
  if (!delegation || delegation.left !== null) return;
  const left = await leaveMigration(heldRun.connection, state.run, delegation, AbortSignal.timeout(LEAVE_WITHIN_MS));
  state.run = { ...state.run, delegation: { ...delegation, ...left } };
}
