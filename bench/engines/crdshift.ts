import { request } from "undici";
import type { BenchCluster } from "#bench/bench-cluster.ts";
import type { BenchDashboard, Rewriting } from "#bench/dashboard.ts";
import type { Widgets } from "#bench/widgets.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { onlyClient, type Turn } from "./measure-turn.ts";

/** crdshift through its HTTP API, verification included. Its wait is what settling took, with a settle time of 0. */
export async function crdshift(dashboard: BenchDashboard, crd: string, count: number, how?: Rewriting): Promise<Turn> {
  const { run, seconds, settledSeconds, usage } = await dashboard.rewrite(crd, how);
  if (run.counts.rewritten !== count) throw new Error(`crdshift rewrote ${run.counts.rewritten} of ${count} objects.`);
  return { seconds, waitedSeconds: settledSeconds, client: onlyClient(usage) };
}

/** What a rewrite takes that has nothing left to do, beside one list of the same objects. */
export interface SecondRun {
  seconds: number;
  listSeconds: number;
  rssGrowthMb: number;
}

/** Runs crdshift again over objects that its last run has proven. */
export async function secondRun(
  { connection }: BenchCluster,
  dashboard: BenchDashboard,
  { definition }: Widgets,
  count: number,
): Promise<SecondRun> {
  const listSeconds = await bareList(connection, definition.path("v1"));
  const { run, seconds, usage } = await dashboard.rewrite(definition.name);
  if (run.counts.alreadyCurrent !== count) throw new Error(`crdshift took ${run.counts.alreadyCurrent} of ${count} objects for current.`);
  return { seconds, listSeconds, rssGrowthMb: usage.rssGrowthMb };
}

/** One list of all objects' metadata below a path in pages of 500, and nothing else. Gives the seconds it took. */
async function bareList(connection: Connection, path: string): Promise<number> {
  const headers = { ...(await connection.authHeaders()), accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" };
  const startedAt = performance.now();
  let next = "";
  do {
    const query = new URLSearchParams({ limit: "500", ...(next && { continue: next }) });
    const url = `${connection.server}${path}?${query}`;
    const { statusCode, body } = await request(url, { dispatcher: connection.dispatcher, headers });
    if (statusCode !== 200) throw new Error(`${url}: ${statusCode}`);
    const list = (await body.json()) as { metadata: { continue?: string } };
    next = list.metadata.continue ?? "";
  } while (next);
  return (performance.now() - startedAt) / 1_000;
}
