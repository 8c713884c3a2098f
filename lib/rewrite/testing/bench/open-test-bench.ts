import { expect, onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { readCrd } from "#lib/cluster/definitions/crds.ts";
import { readRun } from "#lib/cluster/history/read-runs.ts";
import { openWorkerCluster } from "#lib/cluster/testing/open-worker-cluster.ts";
import { readStorageVersionHash } from "#lib/cluster/transport/discovery.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";
import { readableRecord } from "#lib/domain/record/rewrite-record.ts";
import { isLive } from "#lib/domain/rewrite/run.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { KubernetesRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { createDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { startRewrite } from "#lib/rewrite/commands/start-rewrite.ts";
import { findDryRun } from "#lib/rewrite/dry-run/dry-runs.ts";
import { startDryRun } from "#lib/rewrite/dry-run/start-dry-run.ts";
import { storageVersionHash } from "#lib/rewrite/run/settle/settle.ts";
import { ownCluster } from "#lib/rewrite/testing/clusters/own-cluster.ts";
import { chooseKubeconfig } from "#lib/settings/env.ts";
import { staleDefinition } from "./stale-definition.ts";
import type { TestBench } from "./test-bench.ts";

export const soon = () => AbortSignal.timeout(30_000);

/** The bench of a test file: on its worker's API server, or on one of the file's own with another release of Kubernetes. */
export async function openTestBench(release?: KubernetesRelease): Promise<TestBench> {
  const { cluster, api } = release ? await ownCluster({ release }) : openWorkerCluster();
  chooseKubeconfig(cluster.kubeconfig);
  return benchOn(cluster, api, await connect(cluster.context));
}

/** The same over another connection to the cluster. */
export function benchOn(cluster: TestCluster, api: ApiClient, connection: Connection): TestBench {
  const bench: TestBench = {
    ...{ cluster, api, connection },
    async define(versions, conversion) {
      const definition = await createDefinition(api, versions, conversion && { conversion });
      onTestFinished(() => definition.remove());
      return definition;
    },
    async flip(definition, versions, conversion) {
      await definition.flip(versions, conversion);
      const storage = versions.find((version) => version.storage)?.name ?? "";
      const resource = { group: definition.group, plural: definition.plural, version: storage };
      const hash = () => readStorageVersionHash(connection, resource, soon());
      await expect.poll(hash, { timeout: 30_000 }).toBe(storageVersionHash(definition.group, storage, "Widget"));
    },
    stale: (count, options) => staleDefinition(bench, count, options),
    apply(definition, version, name, manager, spec) {
      const object = { apiVersion: `${definition.group}/${version}`, kind: "Widget", metadata: { name, namespace: "default" }, spec };
      const path = `${definition.path(version, { name })}?fieldManager=${manager}`;
      return api.request("PATCH", path, object, "application/apply-patch+yaml");
    },
    async dryRun(definition, options = {}) {
      const { id } = await startDryRun(connection, definition.name, { ...options, signal: soon() });
      const now = () => findDryRun(connection.audience, definition.name, id).current;
      await expect.poll(() => now().phase, { timeout: 200_000, interval: 20 }).not.toBe("running");
      if (now().phase === "succeeded") {
        const recorded = async () => readableRecord((await readCrd(connection, definition.name, soon())).crd)?.dryRun?.id;
        await expect.poll(recorded, { timeout: 30_000, interval: 20 }).toBe(id);
      }
      return now();
    },
    start: (definition, options = {}) => startRewrite(connection, definition.name, { ...options, settleSeconds: 0, signal: soon() }),
    run: (definition, id) => readRun(connection, definition.name, id, soon()),
    async rewritten(definition, id, objects) {
      const count = async () => (await bench.run(definition, id)).counts.rewritten;
      await expect.poll(count, { timeout: 60_000, interval: 20 }).toBeGreaterThanOrEqual(objects);
    },
    async endOf(definition, id) {
      const live = async () => isLive(await bench.run(definition, id));
      await expect.poll(live, { timeout: 200_000, interval: 20 }).toBe(false);
      return bench.run(definition, id);
    },
    async rewrite(definition, options) {
      return bench.endOf(definition, (await bench.start(definition, options)).id);
    },
    async patchesOf(definition) {
      let patches = 0;
      for await (const line of requestLines(connection, { path: "/metrics", accept: "text/plain", signal: soon() })) {
        const isOurs = [`group="${definition.group}"`, 'dry_run=""', 'verb="PATCH"'].every((label) => line.includes(label));
        if (isOurs && line.startsWith("apiserver_request_total{")) patches += Number(line.split(" ").at(-1));
      }
      return patches;
    },
    async storedAs(definition) {
      const counts: Record<string, number> = {};
      for (const { apiVersion } of (await definition.storedValues(cluster.etcd)).values()) {
        const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
        counts[version] = (counts[version] ?? 0) + 1;
      }
      return counts;
    },
  };
  return bench;
}
