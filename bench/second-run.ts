import { bareList } from "./bare-list.ts";
import type { BenchCluster } from "./bench-cluster.ts";
import type { BenchDashboard } from "./dashboard.ts";
import type { Widgets } from "./widgets.ts";

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
