import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startMeter, type Usage } from "#bench/meter.ts";
import type { Widgets } from "#bench/widgets.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { requestLines } from "#lib/cluster/transport/request.ts";

/** What one engine took to bring every object to the storage version once. */
export interface Turn {
  /** Its waits before the first object apart. */
  seconds: number;
  waitedSeconds: number;
  /** All processes that did it, the API server and etcd apart. */
  client: Client;
}

export interface Client {
  peakRssMb: number;
  rssGrowthMb: number;
  cpuSeconds: number;
  /** What it sent to the API server and received from it, with TLS and HTTP headers. */
  sentBytes: number;
  receivedBytes: number;
}

/** The client's share where one process did it all, and reads and writes nothing but its connections. */
export function onlyClient({ readBytes, writtenBytes, ...usage }: Usage): Client {
  return { ...usage, sentBytes: writtenBytes, receivedBytes: readBytes };
}

/** A turn with what it cost the API server. */
export interface MeasuredTurn extends Turn {
  /** For the objects, by verb. */
  requests: ReadonlyMap<string, number>;
  serverCpuSeconds: number;
}

/**
 * Flips the storage version, lets an engine rewrite all objects, and measures what that took.
 * @throws Error when etcd does not hold every object at the new version afterwards.
 */
export async function measureTurn(cluster: BenchCluster, widgets: Widgets, run: (version: string) => Promise<Turn>): Promise<MeasuredTurn> {
  const version = await widgets.flip();
  const { group } = widgets.definition;
  const before = await countRequests(cluster.connection, group);
  const server = startMeter(cluster.apiServer.pid());
  const turn = await run(version);
  const { cpuSeconds: serverCpuSeconds } = server.stop();
  await widgets.expectStored();
  const requests = requestsSince(before, await countRequests(cluster.connection, group));
  return { ...turn, requests, serverCpuSeconds };
}

const METRIC = /^apiserver_request_total\{([^}]*)\} (\S+)$/;
const TIMEOUT_MS = 60_000;

/**
 * The requests for widgets of a group that the API server has answered since its start, by verb, watches apart.
 * Source: kubernetes.io "Kubernetes Metrics Reference", apiserver_request_total.
 */
async function countRequests(connection: Connection, group: string): Promise<Map<string, number>> {
  const requests = new Map<string, number>();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for await (const line of requestLines(connection, { path: "/metrics", accept: "text/plain", signal, timeoutMs: TIMEOUT_MS })) {
    const [, labels = "", count = ""] = METRIC.exec(line) ?? [];
    const verb = /verb="([^"]*)"/.exec(labels)?.[1] ?? "";
    if (verb === "" || verb === "WATCH" || !labels.includes(`group="${group}"`)) continue;
    requests.set(verb, (requests.get(verb) ?? 0) + Number(count));
  }
  return requests;
}

/** What has been added to `before`, verbs with nothing left out. */
function requestsSince(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): Map<string, number> {
  const added = [...now].map(([verb, count]) => [verb, count - (before.get(verb) ?? 0)] as const);
  return new Map(added.filter(([, count]) => count > 0));
}
