import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { minorNumber } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import type { SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { LocalCluster } from "#lib/local-cluster/start-local-cluster.ts";

const LOOK_EVERY_MS = 250;
const DEADLINE_MS = 240_000;

interface MigrationJson {
  status?: { resourceVersion?: string; conditions?: { type: string; status: string; message: string }[] };
}

/** The path of the cluster's StorageVersionMigrations. */
export function migrationsOf({ migrationApi }: Pick<LocalCluster, "migrationApi">): string {
  return `/apis/${migrationApi}/storageversionmigrations`;
}

/** Whether the cluster's own engine shortens status.storedVersions, which it does from Kubernetes 1.36 on. */
export function shortensList({ kubernetes }: Pick<LocalCluster, "kubernetes">): boolean {
  return minorNumber(kubernetes) >= 36;
}

/** The cluster's own engine, on a cluster with a controller manager, with shortcuts for changes it would take minutes to notice. */
export interface InTreeEngine {
  /** Restarts it, so that it knows every definition. On its own, it looks every half minute. */
  learn(): Promise<void>;
  /** Creates a StorageVersionMigration of the definition. */
  migrate(definition: SampleDefinition, name: string): Promise<void>;
  /** "Succeeded" or "Failed", and with what message, once the engine has nothing more to do about it. */
  endOf(definition: SampleDefinition, name: string): Promise<{ type: string; message: string }>;
}

export function inTreeEngine(cluster: LocalCluster, api: ApiClient): InTreeEngine {
  const { controllerManager } = cluster;
  const migrations = migrationsOf(cluster);
  return {
    async learn() {
      await controllerManager?.kill();
      await controllerManager?.start();
    },
    async migrate({ group, plural }, name) {
      await api.create(migrations, {
        apiVersion: cluster.migrationApi,
        kind: "StorageVersionMigration",
        metadata: { name },
        spec: { resource: { group, resource: plural } },
      });
    },
    async endOf(definition, name) {
      const ended = async () => {
        const { status } = await api.get<MigrationJson>(`${migrations}/${name}`);
        const held = status?.conditions?.filter((condition) => condition.status === "True") ?? [];
        const isRunning = held.some(({ type }) => type === "Running");
        if (isRunning && status?.resourceVersion) await nudge(api, definition);
        return isRunning ? undefined : held.find(({ type }) => type === "Succeeded" || type === "Failed");
      };
      const deadline = AbortSignal.timeout(DEADLINE_MS);
      for (;;) {
        const end = await ended();
        if (end) return { type: end.type, message: end.message };
        await sleep(LOOK_EVERY_MS, deadline);
      }
    },
  };
}

/**
 * Makes a change among the definition's objects, and undoes it. The engine begins once its watch is as new as the migration, and a
 * watch of unchanged objects gets a bookmark only once a minute.
 */
export async function nudge(api: ApiClient, definition: SampleDefinition): Promise<void> {
  const { group } = definition;
  const version = (await definition.read()).spec.versions[0]?.name ?? "";
  const metadata = { generateName: "nudge-" };
  const made = await api.create(definition.path(version, { name: "" }), { apiVersion: `${group}/${version}`, kind: "Widget", metadata });
  await api.delete(definition.path(version, { name: made.metadata.name }));
}
