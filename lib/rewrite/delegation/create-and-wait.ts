import { sleep } from "#lib/async/sleep.ts";
import { createMigration, type InTreeMigration, readMigration } from "#lib/cluster/migrations/in-tree-migration.ts";
import { readMigrationsOf } from "#lib/cluster/migrations/list-migrations.ts";
import { requireOwnApi } from "#lib/cluster/migrations/migration-apis.ts";
import { isAppError } from "#lib/contract/app-error.ts";
import type { Crd } from "#lib/domain/definition/crd.ts";
import { conditionAtWork, migrationAtWork } from "#lib/domain/rewrite/other-engines.ts";
import type { Delegation } from "#lib/domain/rewrite/run.ts";
import type { Progress } from "#lib/rewrite/run/progress/progress.ts";
import { StopRun } from "#lib/rewrite/run/stop-run.ts";
import type { Ask } from "./ask-patiently.ts";
import { shortened } from "./leave-migration.ts";
import { leaveNow } from "./leave-now.ts";
import { noteOwnedDefaults } from "./note-owned-defaults.ts";
import { putBackAfterEngine } from "./put-back-after-engine.ts";

const LOOK_EVERY_MS = 1_000;
/** Half a minute of successful polls, so that an outage does not count as an absent controller. */
const PICKED_UP_WITHIN_LOOKS = 30;
/** The engine reports no progress and retries a stuck migration forever (storageversionmigrator.go), so a person must look eventually. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;

/**
 * Creates a run's StorageVersionMigration, or finds the one that an earlier attempt created, and follows it until it has ended. It removes
 * versions from status.storedVersions when it ends, even if it failed, and a second one removes them when it starts: they are put back.
 * @throws StopRun if no controller picks it up within 30 s, it is deleted, or it doesn't end within a day; or, before a controller picks it
 * up, if the dry run no longer says what would be lost.
 */
export async function createAndWait(progress: Progress, foundVersion: string, ask: Ask): Promise<void> {
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
  state.mayHaveMigration = true;
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
  await leaveNow(progress);
  const { delegation } = state.run;
  if (delegation?.phase === null) throw outdated();
  if (delegation) state.run = { ...state.run, delegation: { ...delegation, left: null } };
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

/** How a run ends whose dry run no longer says what would be lost. */
export function outdated(): StopRun {
  return new StopRun(
    "unproven",
    "The dry run may no longer say what would be lost: since then, mutating webhooks or policies were added, edited, or removed, or crdshift " +
      "can't read them, or a webhook converts and five minutes have passed. The cluster's own engine checks no object before it writes. " +
      "Start the rewrite again, which makes a new dry run, or rewrite with crdshift's own engine.",
  );
}
