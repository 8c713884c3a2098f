import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { tcpProxy } from "#lib/cluster/testing/tcp-proxy.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import type { Etcd } from "#lib/local-cluster/etcd.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import { startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn } from "./open-test-bench.ts";
import { beforeFlip } from "./stale-definition.ts";
import type { TestBench } from "./test-bench.ts";

/** So many that no write after a restore reaches the resourceVersions from before it. */
const WRITES = 400;

interface Restorable {
  bench: TestBench;
  /** As `prepare` left it when its cluster was backed up. Its methods reach what `bench` reaches. */
  definition: SampleDefinition;
  /** Writes much, then puts etcd back to what it held at the backup. Returns the etcd from then on. */
  restore(): Promise<Etcd>;
  /** The two halves of that: the writes, and what takes no time. */
  grow(): Promise<void>;
  goBack(): Etcd;
}

/**
 * A cluster of the test's own, and a second one that began from its etcd's data. To crdshift, which reaches the one and then the other
 * behind one address, the first has its etcd restored from a backup.
 */
export async function restorableCluster(
  prepare: (definition: SampleDefinition) => Promise<void>,
  versions: SampleVersion[] = beforeFlip,
): Promise<Restorable> {
  const original = await startLocalCluster();
  onTestFinished(original.stop);
  const before = apiClient(original);
  const api = { ...before };
  const definition = await createDefinition(api, versions);
  await prepare(definition);
  const backup = await startFromDataOf(original);
  const after = apiClient(backup);
  onTestFinished(() => [before, after].forEach(({ close }) => void close()));

  const proxy = await tcpProxy(original.server);
  const certificates = await Promise.all([original, backup].map(({ caFile }) => readFile(caFile, "utf8")));
  const context = `restored ${proxy.server}`;
  await chooseContexts(original, { name: context, server: proxy.server, authority: certificates.join("\n") });
  const connection = await connect(context);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  const caFile = path.join(backup.directory, "both.crt");
  await writeFile(caFile, certificates.join("\n"));
  const grow = async () => {
    for (let turn = 0; turn < WRITES; turn += 1) {
      await api.mergePatch("/api/v1/namespaces/default", { metadata: { labels: { turn: String(turn) } } });
    }
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.name}`;
    const { metadata } = await api.mergePatch(path, { metadata: { labels: { turn: "last" } } });
    await expect.poll(() => fleetOf(connection).freshness().resourceVersion).toBe(metadata.resourceVersion);
  };
  const goBack = () => {
    Object.assign(api, after);
    proxy.moveTo(backup.server);
    return backup.etcd;
  };
  return {
    bench: benchOn({ ...original, caFile }, api, connection),
    definition,
    grow,
    goBack,
    async restore() {
      await grow();
      return goBack();
    },
  };
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
  return cluster;
}
