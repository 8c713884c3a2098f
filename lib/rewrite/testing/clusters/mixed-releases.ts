import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import { chooseContexts } from "#lib/cluster/testing/choose-contexts.ts";
import { apiClient } from "#lib/local-cluster/api-client.ts";
import { defaultRelease, olderRelease } from "#lib/local-cluster/binaries/kubernetes-release.ts";
import { type LocalCluster, startLocalCluster } from "#lib/local-cluster/start-local-cluster.ts";
import { stopAllRuns } from "#lib/rewrite/run/running.ts";
import { benchOn } from "#lib/rewrite/testing/bench/open-test-bench.ts";
import type { TestBench } from "#lib/rewrite/testing/bench/test-bench.ts";

export interface MixedReleases {
  /** Its connection goes through an address that leads to both API servers; its own requests go to the newer one. */
  bench: TestBench;
  cluster: LocalCluster;
  /** Where new connections lead from now on. Resolves once the old ones are closed at both ends. */
  lead(to: "newer" | "older" | "both-in-turn"): Promise<void>;
}

/** Two API servers of different releases on one etcd, as during an upgrade, until the end of the test. */
export async function mixedReleases({ controllerManager = false } = {}): Promise<MixedReleases> {
  const newer = await startLocalCluster({ release: defaultRelease, controllerManager });
  onTestFinished(() => newer.stop());
  const directory = await mkdtemp(path.join(tmpdir(), "crdshift-mixed-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  for (const name of ["tokens.csv", "service-account.key", "service-account.pub"]) {
    await cp(path.join(newer.directory, name), path.join(directory, name));
  }
  const older = await startLocalCluster({ directory, release: olderRelease, beside: { etcd: newer.etcd, hostname: "second" } });
  onTestFinished(() => older.stop());

  const ports = [newer, older].map(({ server }) => Number(new URL(server).port));
  const open = new Set<Socket>();
  let leadsTo = ports;
  let turn = 0;
  const balancer = createServer((client) => {
    const server = connectTcp(leadsTo[turn++ % leadsTo.length] ?? 0, "127.0.0.1");
    const sockets = [client, server];
    open.add(client);
    const end = () => {
      open.delete(client);
      for (const socket of sockets) socket.destroy();
    };
    for (const socket of sockets) socket.on("error", end).on("close", end);
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void balancer.close());

  const { port } = balancer.address() as AddressInfo;
  const authority = (await Promise.all([newer, older].map(({ caFile }) => readFile(caFile, "utf8")))).join("\n");
  const caFile = path.join(directory, "both.crt");
  await writeFile(caFile, authority);
  const name = `mixed-${port}`;
  await chooseContexts(newer, { name, server: `https://127.0.0.1:${port}`, authority });
  const connection = await connect(name);
  onTestFinished(() => fleetOf(connection).stop());
  onTestFinished(stopAllRuns);
  const api = apiClient(newer);
  onTestFinished(() => api.close());
  return {
    bench: benchOn({ ...newer, caFile }, api, connection),
    cluster: newer,
    async lead(to) {
      leadsTo = to === "both-in-turn" ? ports : ports.slice(to === "newer" ? 0 : 1).slice(0, 1);
      for (const socket of open) socket.destroy();
      await setTimeout(1_000);
    },
  };
}
