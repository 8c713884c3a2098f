import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startMeter } from "#bench/meter.ts";
import { nextChange, type Widgets } from "#bench/widgets.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { KubernetesObject } from "#lib/local-cluster/api-client.ts";
import { migrationsOf } from "#lib/local-cluster/testing/in-tree-engine.ts";
import { onlyClient, type Turn } from "./measure-turn.ts";

const LOOK_EVERY_MS = 250;
const MIGRATION_GIVE_UP_MS = 30 * 60_000;

interface Migration extends KubernetesObject {
  status?: { conditions?: { type: string; status: string; message?: string }[] };
}

/**
 * The cluster's own engine: a StorageVersionMigration, from its creation until it says Succeeded. It begins once the garbage
 * collector's cache is known to be new enough, which may take a minute; that wait is told apart. A migration can't be run again,
 * so each turn creates one.
 */
export async function inTree(cluster: BenchCluster, widgets: Widgets): Promise<Turn> {
  const over = new AbortController();
  const { changed } = await nextChange(cluster, widgets, over.signal);
  const meter = startMeter(controllerManager(cluster).pid());
  const startedAt = performance.now();
  await migrate(cluster, widgets);
  const endedAt = performance.now();
  const client = onlyClient(meter.stop());
  over.abort(new Error("no object was written"));
  const beganAt = await changed;
  return {
    seconds: (endedAt - beganAt) / 1_000,
    waitedSeconds: (beganAt - startedAt) / 1_000,
    client,
  };
}

/** Creates a StorageVersionMigration and waits until it has succeeded. Throws when it fails, or takes more than half an hour. */
export async function migrate(cluster: BenchCluster, { definition: { group, plural } }: Widgets): Promise<void> {
  const { api, migrationApi } = cluster;
  const migrations = migrationsOf(cluster);
  const { metadata } = await api.create(migrations, {
    apiVersion: migrationApi,
    kind: "StorageVersionMigration",
    metadata: { generateName: `${plural}-` },
    spec: { resource: { group, resource: plural } },
  });
  const deadline = AbortSignal.timeout(MIGRATION_GIVE_UP_MS);
  for (;;) {
    await sleep(LOOK_EVERY_MS, deadline);
    const { status } = await api.get<Migration>(`${migrations}/${metadata.name}`);
    const isTrue = (type: string) => status?.conditions?.find((condition) => condition.type === type && condition.status === "True");
    const failed = isTrue("Failed");
    if (failed) throw new Error(`The StorageVersionMigration ${metadata.name} failed: ${failed.message}`);
    if (isTrue("Succeeded")) return;
  }
}

function controllerManager({ controllerManager: program }: BenchCluster) {
  if (!program) throw new Error("The cluster has no kube-controller-manager: start it with { controllerManager: true }.");
  return program;
}
