import type { BenchCluster } from "#bench/bench-cluster.ts";
import { countRequests, requestsSince } from "#bench/count-requests.ts";
import { startMeter } from "#bench/meter.ts";
import type { Widgets } from "#bench/widgets.ts";
import type { Turn } from "./turn.ts";

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
