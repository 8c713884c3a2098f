import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import type { Etcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import { beforeFlip } from "#lib/rewrite/testing/bench/stale-definition.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

/** So many that no write after a restore reaches the resourceVersions from before it. */
const WRITES = 400;
const IDLE_MS = 11 * 60_000;

interface Restorable {
  bench: TestBench;
  /** Its methods reach what `bench` reaches. */
  definition: SampleDefinition;
  /**
   * The same cluster before the restore, by another address: this process remembers what it found by a cluster's address, so it stands for
   * another replica with the same key.
   */
  replica: Connection;
  /** Backs up what etcd holds now. */
  backUp(): Promise<void>;
  /** Writes much, then puts etcd back to what it held at the backup. Returns the etcd from then on. */
  restore(): Promise<Etcd>;
  /** The two halves of that: the writes, and what takes no time. */
  grow(): Promise<void>;
  goBack(): Etcd;
  /** Writes so much into the backup, at last the definition, that its resourceVersions are beyond those that any of this leads to. */
  raise(): Promise<void>;
  /** Writes half as much into what the cluster is now. */
  growHalf(): Promise<void>;
}

/**
 * A cluster of the test's own, with a definition, and a second one that begins from its etcd's data at the backup. To crdshift, which
 * reaches the one and then the other behind one address, the first has its etcd restored from that backup.
 */
export async function restorableCluster(versions: SampleVersion[] = beforeFlip): Promise<Restorable> {
  const original = await startLocalCluster();
  onTestFinished(original.stop);
  const before = apiClient(original);
  onTestFinished(() => before.close());
  const api = { ...before };
  const definition = await createDefinition(api, versions);

  const proxy = await tcpProxy(original.server);
  const context = `restored ${proxy.server}`;
  const another = `replica ${proxy.server}`;
  // The second cluster makes a certificate of its own.
  await chooseContexts(original, { name: context, server: proxy.server, authority: "any" }, { name: another });
  const [connection, replica] = [await connect(context), await connect(another)];
  for (const one of [connection, replica]) onTestFinished(() => fleetOf(one).stop());
  onTestFinished(stopAllRuns);

  let backup: Awaited<ReturnType<typeof startFromDataOf>> | null = null;
  const write = async (times: number, to: Pick<typeof api, "mergePatch"> = api) => {
    for (let turn = 0; turn < times; turn += 1) {
      await to.mergePatch("/api/v1/namespaces/default", { metadata: { labels: { turn: String(turn) } } });
    }
  };
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
  const grow = async () => {
    await write(WRITES);
    const { metadata } = await api.mergePatch(path, { metadata: { labels: { turn: "last" } } });
    await expect.poll(() => fleetOf(connection).freshness().resourceVersion).toBe(metadata.resourceVersion);
  };
  const goBack = () => {
    if (!backup) throw new Error("There is no backup yet.");
    Object.assign(api, backup.api);
    proxy.moveTo(backup.cluster.server);
    return backup.cluster.etcd;
  };
  return {
    bench: benchOn(original, api, connection),
    ...{ definition, replica, grow, goBack, growHalf: () => write(WRITES / 2) },
    async backUp() {
      backup = await startFromDataOf(original);
    },
    async raise() {
      if (!backup) throw new Error("There is no backup yet.");
      await write(3 * WRITES, backup.api);
      await backup.api.mergePatch(path, { metadata: { labels: { turn: "raised" } } });
    },
    async restore() {
      await grow();
      return goBack();
    },
  };
}

/** Ten minutes without anyone who views the cluster. */
export async function untilIdle(connection: Connection): Promise<void> {
  const fleet = fleetOf(connection);
  const now = Date.now;
  const later = vi.spyOn(Date, "now").mockImplementation(() => now() + IDLE_MS);
  await expect.poll(() => fleet.hasEnded(), { timeout: 10_000 }).toBe(true);
  later.mockRestore();
}

/** A cluster that goes on from another's etcd: with its data, as after a crash at this moment, and its credentials. */
async function startFromDataOf({ directory: from, etcdPid }: { directory: string; etcdPid: number | null }) {
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-restored-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  if (etcdPid !== null) process.kill(etcdPid, "SIGSTOP");
  try {
    for (const name of ["etcd", "tokens.csv", "service-account.key", "service-account.pub"]) {
      await cp(path.join(from, name), path.join(directory, name), { recursive: true });
    }
  } finally {
    if (etcdPid !== null) process.kill(etcdPid, "SIGCONT");
  }
  const cluster = await startLocalCluster({ directory });
  onTestFinished(cluster.stop);
  const api = apiClient(cluster);
  onTestFinished(() => api.close());
  return { cluster, api };
}
