import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { findMigrationApi, requireOwnApi, wasServedLately } from "#lib/cluster/migrations/migration-apis.ts";
import { readGroupVersions } from "#lib/cluster/transport/discovery.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { migrationReason } from "#lib/domain/definition/crd-state.ts";
import { delegationRefusal } from "#lib/domain/rewrite/delegation-refusal.ts";
import { DELEGATE } from "#lib/domain/rewrite/engines.ts";
import { identityChange } from "#lib/domain/rewrite/identity.ts";
import { isMigrationOf, migrationName } from "#lib/domain/rewrite/migration.ts";
import { withCaveats } from "#lib/domain/rewrite/run.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import { type Ask, askPatiently } from "./ask-patiently.ts";
import { createAndWait, outdated } from "./create-and-wait.ts";
import { abandonMigration } from "./leave-migration.ts";

/**
 * Lets the cluster's own engine rewrite the objects: creates a StorageVersionMigration and waits until it succeeds or fails. Its result
 * proves nothing; the passes that follow do. It removes versions from status.storedVersions when it ends, even if it failed, and a
 * second one removes them when it starts. crdshift repairs the list until there is a proof.
 * @throws StopRun if another engine is active, no controller picks up the migration within 30 s, the migration is deleted, or it does
 * not end within a day.
 */
export async function delegateRewrite(progress: Progress): Promise<void> {
  const { connection, crd, run } = progress.heldRun;
  const { gate, signal, identity } = progress;
  const ask = askPatiently({ gate, signal });
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
